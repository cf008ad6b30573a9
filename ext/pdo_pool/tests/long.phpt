--TEST--
Very long SQL is not kept, and works
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
$sql = 'SELECT length(\'' . str_repeat('x', 70000) . '\')';
for ($i = 0; $i < 3; $i++) {
    show(run($pdo, $sql));
}
show(pdo_pool_stats($pdo), prepared($pdo));
?>
--EXPECT--
[[70000]]
[[70000]]
[[70000]]
{"cached":true,"capacity":256,"named":0,"seen":0,"to_deallocate":0,"route":"unknown"}
[]
