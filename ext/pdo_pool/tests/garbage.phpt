--TEST--
Names that are given up in transactions do not pile up on the server
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
$names = fn() => (int) ask($pdo, "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'pp\\_%'")[0];
$most = 0;
foreach (['methods', 'statements'] as $by) {
    for ($transaction = 0; $transaction < 6; $transaction++) {
        $by === 'methods' ? $pdo->beginTransaction() : $pdo->query('BEGIN');
        $pdo->exec('CREATE TEMPORARY TABLE each_time (a int) ON COMMIT DROP');
        for ($i = 0; $i < 200; $i++) {
            run($pdo, 'SELECT ' . ($i >> 1));
        }
        $most = max($most, $names());
        $by === 'methods' ? $pdo->commit() : $pdo->query('COMMIT');
    }
}
// 100 that are used, and those that wait for the end of the transaction.
show($most <= 100 + 64, $names() <= 100 + 64, pdo_pool_stats($pdo)['named'] > 0);
gained();
for ($i = 0; $i < 200; $i++) {
    run($pdo, 'SELECT ' . ($i >> 1));
}
show(gained()['unnamed'] ?? 0);
?>
--EXPECT--
true
true
true
0
