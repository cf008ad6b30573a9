--TEST--
Another connection changes the table that several names read: a transaction is to be repeated once
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
$other = connect();
$other->exec('DROP TABLE IF EXISTS pdo_pool_stale_others');
$other->exec('CREATE TABLE pdo_pool_stale_others AS SELECT 1 AS a');
$texts = array_map(fn($i) => "SELECT * FROM pdo_pool_stale_others -- $i", range(1, 3));
$all = fn() => array_merge(...array_map(fn($sql) => run($pdo, $sql), $texts));
$transaction = function () use ($pdo, $all) {
    $pdo->beginTransaction();
    try {
        $rows = $all();
        $pdo->commit();
        return $rows;
    } catch (PDOException $e) {
        $pdo->rollBack();
        return $e->errorInfo[0];
    }
};
for ($i = 0; $i < 3; $i++) {
    $all();
}
gained();

$other->exec('ALTER TABLE pdo_pool_stale_others ADD b int');
show($transaction(), $transaction(), gained());
show($transaction(), gained());

// Found out before the transaction, it costs none.
$other->exec('ALTER TABLE pdo_pool_stale_others ADD c int');
show(run($pdo, $texts[0]), $transaction(), gained());
show($transaction(), gained());

// Names that turn out to be good are kept.
run($pdo, 'SELECT 1');
run($pdo, 'SELECT 1');
$other->exec('ALTER TABLE pdo_pool_stale_others ADD d int');
gained();
run($pdo, $texts[0]);
run($pdo, 'SELECT 1');
run($pdo, 'SELECT 1');
show(gained());
$other->exec('DROP TABLE pdo_pool_stale_others');
?>
--EXPECT--
"0A000"
[[1,null],[1,null],[1,null]]
{"misses":1,"unnamed":2,"reprepares":3}
[[1,null],[1,null],[1,null]]
{"hits":1,"misses":2}
[[1,null,null]]
[[1,null,null],[1,null,null],[1,null,null]]
{"misses":1,"unnamed":3,"reprepares":3,"retries":1}
[[1,null,null],[1,null,null],[1,null,null]]
{"hits":1,"misses":2}
{"hits":2,"unnamed":1,"reprepares":1,"retries":1}
