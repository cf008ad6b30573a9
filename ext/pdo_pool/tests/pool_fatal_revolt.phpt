--TEST--
A fatal error in a callback of the event loop while the main program and fibers wait
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
require __DIR__ . '/revolt.inc';
use Revolt\EventLoop;

$pdo = pool([PDO::ATTR_POOL_MAX => 1]);
$other = pool([PDO::ATTR_POOL_MAX => 1]);
register_shutdown_function(function () use (&$pdo, $other) {
    show(stats($pdo, 'in_use', 'waiting'), fails(fn() => run($pdo, 'SELECT 1')), stats($pdo, 'waiting'));
    $pdo = null;
    show(run($other, 'SELECT 2'));
});
EventLoop::queue(fn() => $pdo->exec('SELECT pg_sleep(60)'));
EventLoop::queue(fn() => $pdo->exec('SELECT 1'));
EventLoop::runWhile(fn() => !stats($pdo, 'waiting')['waiting']);
EventLoop::queue(fn() => eval('abstract class A { abstract function f(); } class B extends A {}'));
$pdo->exec('SELECT 3');
?>
--EXPECTF--

Fatal error: Class B contains 1 abstract method %s
{"in_use":1,"waiting":2}
"HYT00"
{"waiting":1}
[[2]]
