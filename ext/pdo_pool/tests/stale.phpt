--TEST--
Another connection changes the table
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.log=1
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$log = tempnam(sys_get_temp_dir(), 'pdo_pool');
ini_set('error_log', $log);
$pdo = connect();
$other = connect();
$other->exec('DROP TABLE IF EXISTS pdo_pool_stale, pdo_pool_stale_2');
$other->exec('CREATE TABLE pdo_pool_stale AS SELECT 1 AS a');
$read = fn() => run($pdo, 'SELECT * FROM pdo_pool_stale', null, PDO::FETCH_ASSOC);
for ($i = 0; $i < 3; $i++) {
    $read();
}
gained();
$other->exec('ALTER TABLE pdo_pool_stale ADD b int');
show($read(), gained(), $read(), gained());
show($pdo->errorInfo());

// Found out in a transaction, it takes that along: once.
show($read());
$pdo->beginTransaction();
$other->exec('ALTER TABLE pdo_pool_stale RENAME TO pdo_pool_stale_2');
$other->exec('CREATE TABLE pdo_pool_stale AS SELECT 2 AS c');
show(fails($read));
show(fails($read));
$pdo->rollBack();
$pdo->beginTransaction();
show($read());
$pdo->commit();
show(gained());
$other->exec('DROP TABLE pdo_pool_stale, pdo_pool_stale_2');
show(fails($read));
foreach (file($log) as $line) {
    echo strstr($line, ' is ');
}
unlink($log);
?>
--EXPECT--
[{"a":1,"b":null}]
{"unnamed":1,"reprepares":1,"retries":1}
[{"a":1,"b":null}]
{"misses":1}
["00000",null,null]
[{"a":1,"b":null}]
"0A000"
"25P02"
[{"c":2}]
{"hits":1,"misses":1,"unnamed":1,"reprepares":1}
"42P01"
 is stale: SELECT * FROM pdo_pool_stale
 is stale: SELECT * FROM pdo_pool_stale
