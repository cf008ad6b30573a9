--TEST--
Without the cache, statements of pdo_pgsql are not handed out again: they would go stale
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.reuse_statements=1
pdo_pool.stmt_cache_size=0
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
for ($i = 0; $i < 3; $i++) {
    show(run($pdo, 'SELECT ?::int, ?::text', [$i, 'x']));
}
show(count(ask($pdo, 'SELECT name FROM pg_prepared_statements')));
$pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, false); // forgets them
show(count(ask($pdo, 'SELECT name FROM pg_prepared_statements')));
$pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, true);
for ($i = 0; $i < 3; $i++) {
    show(run($pdo, 'SELECT ?::int, ?::text', [$i, 'x']));
}
show(array_filter(pdo_pool_stats()));
?>
--EXPECT--
[[0,"x"]]
[[1,"x"]]
[[2,"x"]]
0
0
[[0,"x"]]
[[1,"x"]]
[[2,"x"]]
[]
