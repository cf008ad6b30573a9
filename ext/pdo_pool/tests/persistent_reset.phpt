--TEST--
PHP resets persistent connections at the end of a request; their names stay
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.prepare_threshold=1
--SKIPIF--
<?php
require __DIR__ . "/skip.inc";
if (PHP_VERSION_ID < 80600) {
    die('skip it does so since PHP 8.6');
}
?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
const STATE = "SELECT current_setting('work_mem'), to_regclass('pg_temp.mine') IS NULL,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
    (SELECT count(*) FROM pg_listening_channels()), pg_backend_pid()";

$pdo = connect([PDO::ATTR_PERSISTENT => true]);
$clean = run($pdo, STATE);
gained();
$pdo->exec("SET work_mem = '7MB'; CREATE TEMP TABLE mine (a int); SELECT pg_advisory_lock(1); LISTEN news");
$pdo = null;
$pdo = connect([PDO::ATTR_PERSISTENT => true]);
show(run($pdo, STATE) === $clean, gained(), count(prepared($pdo)));

// What the application has prepared by SQL is to go, too: then all names do.
$pdo->exec('PREPARE mine AS SELECT 1');
$pdo = null;
$pdo = connect([PDO::ATTR_PERSISTENT => true]);
show(ask($pdo, 'SELECT count(*) FROM pg_prepared_statements')[0], run($pdo, STATE) === $clean, gained());
$pdo = null;
$pdo = connect([PDO::ATTR_PERSISTENT => true]);
show(run($pdo, STATE) === $clean, gained());

// Nor does a transaction stay open.
$pdo->beginTransaction();
$pdo->exec("SET work_mem = '7MB'");
$pdo = null;
$pdo = connect([PDO::ATTR_PERSISTENT => true]);
show($pdo->inTransaction(), run($pdo, STATE) === $clean, gained());
?>
--EXPECT--
true
{"hits":1}
1
0
true
{"misses":1}
true
{"hits":1}
false
true
{"hits":1}
