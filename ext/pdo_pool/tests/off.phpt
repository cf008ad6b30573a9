--TEST--
With a size of 0 PDO is as it was
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.stmt_cache_size=0
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
for ($i = 0; $i < 3; $i++) {
    run($pdo, 'SELECT ?::int', [$i]);
}
show(pdo_pool_stats($pdo), array_filter(pdo_pool_stats()));
$s = $pdo->prepare('SELECT 1');
$s->execute();
show(ask($pdo, 'SELECT name FROM pg_prepared_statements'));
?>
--EXPECT--
{"cached":false}
[]
["pdo_stmt_00000004"]
