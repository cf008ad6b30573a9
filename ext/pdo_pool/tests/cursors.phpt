--TEST--
Cursors that scroll, cursors of SQL
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
$pdo->beginTransaction();
for ($i = 0; $i < 3; $i++) {
    $statement = $pdo->prepare('SELECT g FROM generate_series(1, ?::int) g', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]);
    for ($j = 0; $j < 2; $j++) {
        $statement->execute([3 + $i]);
        show([
            $statement->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_LAST),
            $statement->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_PRIOR),
            $statement->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_FIRST),
            $statement->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_ABS, 2),
        ]);
    }
    unset($statement);
}
show(ask($pdo, 'SELECT count(*) FROM pg_cursors'));
$pdo->exec('DECLARE c CURSOR FOR SELECT g FROM generate_series(1, 5) g');
for ($i = 0; $i < 3; $i++) {
    show(run($pdo, 'FETCH 2 FROM c'));
}
run($pdo, 'CLOSE c');
$pdo->commit();
?>
--EXPECT--
[[3],[2],[1],[2]]
[[3],[2],[1],[2]]
[[4],[3],[1],[2]]
[[4],[3],[1],[2]]
[[5],[4],[1],[2]]
[[5],[4],[1],[2]]
[0]
[[1],[2]]
[[3],[4]]
[[5]]
