--TEST--
Told that there is a pooler, no name is made
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
ini_set('pdo_pool.pooler', 'on');
for ($i = 0; $i < 4; $i++) {
    run($pdo, 'SELECT 1');
}
show(pdo_pool_stats($pdo), prepared($pdo));
ini_set('pdo_pool.pooler', 'off');
run($pdo, 'SELECT 1');
show(pdo_pool_stats($pdo), prepared($pdo));
ini_set('pdo_pool.pooler', 'auto');
$pdo = connect();
run($pdo, 'SELECT 1');
run($pdo, 'SELECT 1');
show(pdo_pool_stats($pdo)['route']);
foreach (['ON', 'Off', '1', '0', 'yes', '', 'atuo', 'AUTO'] as $value) {
    show([$value => ini_set('pdo_pool.pooler', $value) !== false]);
}
?>
--EXPECT--
{"cached":true,"capacity":256,"named":0,"seen":1,"to_deallocate":0,"route":"unknown"}
[]
{"cached":true,"capacity":256,"named":1,"seen":0,"to_deallocate":0,"route":"unknown"}
["SELECT 1"]
"direct"
{"ON":true}
{"Off":true}
{"1":true}
[true]
{"yes":true}
{"":true}
{"atuo":false}
{"AUTO":true}
