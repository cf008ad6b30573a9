--TEST--
Rows that are fetched while the server sends them, beside named statements
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php
require __DIR__ . '/skip.inc';
if (PHP_VERSION_ID < 80500) {
    die('skip unbuffered statements came with PHP 8.5');
}
?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
const SERIES = 'SELECT generate_series(1, ?::int)';
$pdo = connect();
$first = fn(PDOStatement $s, int $rows) => array_map(fn() => $s->fetchColumn(), range(1, $rows));
// What a statement says that another one has ended: in 8.5.4 an error, later that it has no more rows.
$ended = function (PDOStatement $s): mixed {
    try {
        return $s->fetchColumn();
    } catch (PDOException $e) {
        return $e->errorInfo;
    }
};
ini_set('pdo_pool.stmt_cache_size', '0');
$stock = connect();
ini_restore('pdo_pool.stmt_cache_size');
$other = $stock->prepare(SERIES, [PDO::ATTR_PREFETCH => 0]);
$other->execute([100000]);
$first($other, 3);
run($stock, SERIES, [2]);
$as_stock = $ended($other);
unset($other, $stock);

for ($i = 0; $i < 3; $i++) {
    run($pdo, SERIES, [2]);
}
gained();

// By option, by attribute; all rows, some rows; the same SQL has a name of ours. Each ends the one before it.
foreach (['option', 'attribute'] as $how) {
    $options = $how === 'option' ? [PDO::ATTR_PREFETCH => 0] : [];
    for ($i = 0; $i < 3; $i++) {
        $pdo->setAttribute(PDO::ATTR_PREFETCH, $how === 'option' ? 1 : 0);
        $all = $pdo->prepare(SERIES, $options);
        $all->execute([3]);
        show($all->fetchAll(PDO::FETCH_COLUMN));
        $some = $pdo->prepare(SERIES, $options);
        $some->execute([100000]);
        show($first($some, 2));
        $other = $pdo->prepare(SERIES, $options);
        $other->execute([100000]);
        show($first($other, 3));
        unset($all, $some);
        $pdo->setAttribute(PDO::ATTR_PREFETCH, 1);
        // A buffered one ends it, too.
        show(run($pdo, SERIES, [2]), $ended($other) === $as_stock);
        $other->execute([2]);
        show($other->fetchAll(PDO::FETCH_COLUMN));
    }
}
unset($other);
show(gained());

// What was executed last is gone when the next one looks for what it has to end.
foreach ([[PDO::ATTR_EMULATE_PREPARES => true], [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL], []] as $options) {
    $pdo->beginTransaction();
    $last = $pdo->prepare('SELECT 1', $options);
    $last->execute();
    unset($last);
    // As long as what the driver keeps of a statement, so that its place is taken.
    $instead = array_map(fn() => str_repeat('x', 63), range(1, 20));
    $next = $pdo->prepare(SERIES, [PDO::ATTR_PREFETCH => 0]);
    $next->execute([100000]);
    show($first($next, 2));
    unset($next);
    $pdo->commit();
}

// What it does to the schema is seen.
$pdo->exec('CREATE TEMPORARY TABLE streamed AS SELECT 1 AS a');
for ($i = 0; $i < 3; $i++) {
    run($pdo, 'SELECT * FROM streamed');
}
$pdo->beginTransaction();
$alter = $pdo->prepare('ALTER TABLE streamed ADD b int', [PDO::ATTR_PREFETCH => 0]);
$alter->execute();
show(run($pdo, 'SELECT * FROM streamed'));
$pdo->commit();
show(ask($pdo, "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'pdo\\_stmt%'"));
unset($alter);
show(ask($pdo, "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'pdo\\_stmt%'"));
?>
--EXPECT--
[1,2,3]
[1,2]
[1,2,3]
[[1],[2]]
true
[1,2]
[1,2,3]
[1,2]
[1,2,3]
[[1],[2]]
true
[1,2]
[1,2,3]
[1,2]
[1,2,3]
[[1],[2]]
true
[1,2]
[1,2,3]
[1,2]
[1,2,3]
[[1],[2]]
true
[1,2]
[1,2,3]
[1,2]
[1,2,3]
[[1],[2]]
true
[1,2]
[1,2,3]
[1,2]
[1,2,3]
[[1],[2]]
true
[1,2]
{"hits":6}
[1,2]
[1,2]
[1,2]
[[1,null]]
[1]
[0]
