--TEST--
A fatal error in a task while others wait: for the server, for a connection, in line
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';

$pdo = pool([PDO::ATTR_POOL_MAX => 2]);
$fibers = [];
register_shutdown_function(function () use ($pdo, &$fibers) {
    show(stats($pdo, 'open', 'in_use', 'waiting'));
    // Nobody calls the tasks any more. One that is resumed by hand is told so.
    echo message(fn() => $fibers['line']->resume()), "\n";
    show($fibers['line']->isTerminated());
    echo message(fn() => $fibers['connects']->resume()), "\n";
    // The connection that was not made is free.
    show(run($pdo, 'SELECT 2'), pdo_pool_run(fn() => run($pdo, 'SELECT 3')), stats($pdo, 'open', 'in_use'));
});
$task = function (string $name, string $sql) use ($pdo, &$fibers) {
    return function () use ($pdo, &$fibers, $name, $sql) {
        $fibers[$name] = Fiber::getCurrent();
        $pdo->exec($sql);
    };
};
pdo_pool_run(
    $task('connects', 'SELECT 1'),
    $task('asleep', 'SELECT pg_sleep(60)'),
    $task('line', 'SELECT 1'),
    $task('line until the end', 'SELECT 1'),
    fn() => eval('abstract class A { abstract function f(); } class B extends A {}'),
);
?>
--EXPECTF--

Fatal error: Class B contains 1 abstract method %s
{"open":1,"in_use":1,"waiting":0}
Error: pdo_pool_run() has ended; what waits in its tasks cannot go on
true
Error: pdo_pool_run() has ended; what waits in its tasks cannot go on
[[2]]
[[[3]]]
{"open":2,"in_use":1}
