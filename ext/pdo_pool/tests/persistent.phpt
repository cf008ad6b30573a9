--TEST--
A persistent connection keeps its names, and takes over the settings
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$persistent = [PDO::ATTR_PERSISTENT => 'pdo_pool test'];
$pdo = connect($persistent);
for ($i = 0; $i < 3; $i++) {
    run($pdo, 'SELECT ' . 'version()'); // not an interned string
    run($pdo, str_repeat('SELECT 7', 1));
}
$pid = ask($pdo, 'SELECT pg_backend_pid()');
$pdo = null;

gained();
$pdo = connect($persistent);
show($pid === ask($pdo, 'SELECT pg_backend_pid()'), prepared($pdo));
run($pdo, str_repeat('SELECT 7', 1));
show(gained());

$pdo = null;
ini_set('pdo_pool.stmt_cache_size', '1');
$pdo = connect($persistent);
show(gained(), pdo_pool_stats($pdo));
run($pdo, 'SELECT 7');
show(gained());

$pdo = null;
ini_set('pdo_pool.stmt_cache_size', '0');
$pdo = connect($persistent);
show(run($pdo, 'SELECT 8'), run($pdo, 'SELECT 8'), run($pdo, 'SELECT 8'), gained());

$pdo = null;
ini_set('pdo_pool.stmt_cache_size', '100');
$pdo = connect($persistent);
run($pdo, 'SELECT 8');
run($pdo, 'SELECT 8');
show(gained());
?>
--EXPECT--
true
["SELECT version()","SELECT 7"]
{"hits":1}
{"evictions":1}
{"cached":true,"capacity":1,"named":1,"seen":0,"to_deallocate":1,"route":"direct"}
{"hits":1}
[[8]]
[[8]]
[[8]]
{"evictions":1}
{"misses":1,"unnamed":1}
