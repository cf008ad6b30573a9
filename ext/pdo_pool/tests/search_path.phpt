--TEST--
Tables that are found elsewhere, in a transaction
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
$pdo->exec('CREATE SCHEMA IF NOT EXISTS pdo_pool_a; CREATE SCHEMA IF NOT EXISTS pdo_pool_b');
$pdo->exec('DROP TABLE IF EXISTS pdo_pool_a.t, pdo_pool_b.t');
$pdo->exec('CREATE TABLE pdo_pool_a.t AS SELECT 1 AS a; CREATE TABLE pdo_pool_b.t AS SELECT 2 AS b, 3 AS c');
$read = fn() => run($pdo, 'SELECT * FROM t', null, PDO::FETCH_ASSOC);
$pdo->exec('SET search_path = pdo_pool_a');
show($read(), $read(), $read());
foreach ([
    'SET LOCAL search_path = pdo_pool_b',
    "SELECT set_config('search_path', 'pdo_pool_b', true)",
    'SET search_path TO pdo_pool_b',
] as $set) {
    $pdo->beginTransaction();
    show($read());
    $pdo->query($set);
    show($read(), $read(), $read());
    $pdo->rollBack();
    $pdo->beginTransaction();
    show($read(), $read(), $read());
    $pdo->commit();
}
// Settings of other kinds cost nothing.
gained();
$pdo->beginTransaction();
$pdo->exec("SET LOCAL application_name = 'x'");
run($pdo, "SELECT set_config('app.tenant', '1', true)");
show($read(), gained());
$pdo->rollBack();
$pdo->exec('DROP SCHEMA pdo_pool_a, pdo_pool_b CASCADE');
?>
--EXPECT--
[{"a":1}]
[{"a":1}]
[{"a":1}]
[{"a":1}]
[{"b":2,"c":3}]
[{"b":2,"c":3}]
[{"b":2,"c":3}]
[{"a":1}]
[{"a":1}]
[{"a":1}]
[{"a":1}]
[{"b":2,"c":3}]
[{"b":2,"c":3}]
[{"b":2,"c":3}]
[{"a":1}]
[{"a":1}]
[{"a":1}]
[{"a":1}]
[{"b":2,"c":3}]
[{"b":2,"c":3}]
[{"b":2,"c":3}]
[{"a":1}]
[{"a":1}]
[{"a":1}]
[{"a":1}]
{"hits":1,"unnamed":1}
