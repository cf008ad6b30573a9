--TEST--
Connections that are killed
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$killer = connect();
$kill = function (PDO $pdo) use ($killer) {
    $pid = ask($pdo, 'SELECT pg_backend_pid()')[0];
    run($killer, 'SELECT pg_terminate_backend(?, 10000)', [$pid]);
};
$use = fn(PDO $pdo) => run($pdo, 'SELECT 5');

$pdo = connect();
$use($pdo);
$use($pdo);
$kill($pdo);
show(fails(fn() => $use($pdo)), fails(fn() => run($pdo, 'SELECT 6')), fails(fn() => $pdo->exec('SELECT 6')));
$pdo = null;

$persistent = [PDO::ATTR_PERSISTENT => 'pdo_pool killed'];
$pdo = connect($persistent);
$use($pdo);
$use($pdo);
$kill($pdo);
$pdo = null;
$pdo = connect($persistent);
gained();
$pdo->beginTransaction(); // in which a name that is gone would be fatal
show($use($pdo), $use($pdo), gained());
$pdo->commit();
?>
--EXPECT--
"HY000"
"HY000"
"HY000"
[[5]]
[[5]]
{"hits":1,"misses":1}
