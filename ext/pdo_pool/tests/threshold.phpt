--TEST--
From the first use on, or never
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
ini_set('pdo_pool.prepare_threshold', '1');
$pdo = connect();
gained();
run($pdo, 'SELECT 1');
show(gained(), prepared($pdo));
ini_set('pdo_pool.prepare_threshold', '4');
for ($i = 0; $i < 5; $i++) {
    run($pdo, 'SELECT 2');
}
show(gained(), prepared($pdo));
?>
--EXPECT--
{"misses":1}
["SELECT 1"]
{"hits":1,"misses":1,"unnamed":3}
["SELECT 1","SELECT 2"]
