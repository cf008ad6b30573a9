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

$pdo = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 0.2]);
$other = pool([PDO::ATTR_POOL_MAX => 1]);
$in_line = fn() => fails(fn() => $pdo->exec('SELECT 1'));
register_shutdown_function(function () use (&$pdo, &$in_line, $other) {
    show(stats($pdo, 'in_use', 'waiting'), fails(fn() => run($pdo, 'SELECT 1')));
    // Who stood in line before the error goes on, and gives up.
    EventLoop::runWhile(fn() => stats($pdo, 'waiting')['waiting'] > 0);
    EventLoop::queue($in_line);
    EventLoop::runWhile(fn() => !stats($pdo, 'waiting')['waiting']);
    show(stats($pdo, 'in_use', 'waiting'));
    $pdo = $in_line = null;
    show(run($other, 'SELECT 2'));
});
EventLoop::queue(fn() => $pdo->exec('SELECT pg_sleep(60)'));
EventLoop::queue($in_line);
EventLoop::runWhile(fn() => !stats($pdo, 'waiting')['waiting']);
EventLoop::queue(fn() => eval('abstract class A { abstract function f(); } class B extends A {}'));
$pdo->exec('SELECT 3');
?>
--EXPECTF--

Fatal error: Class B contains 1 abstract method %s
{"in_use":1,"waiting":2}
"HYT00"
{"in_use":1,"waiting":1}
[[2]]
