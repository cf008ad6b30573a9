--TEST--
Tasks of pdo_pool_run() whose fibers somebody else resumes, throws into, or ends
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
$pdo = pool([PDO::ATTR_POOL_MAX => 1]);
$fibers = [];
$task = function (string $name, callable $do) use (&$fibers) {
    return function () use (&$fibers, $name, $do) {
        $fibers[$name] = Fiber::getCurrent();
        return $do();
    };
};

// They wait all the same: for the server, and in line.
show(pdo_pool_run(
    $task('server', fn() => run($pdo, 'SELECT 1, pg_sleep(0.05)')[0][0]),
    $task('line', fn() => run($pdo, 'SELECT 2')[0][0]),
    function () use (&$fibers) {
        foreach ([1, 2, 3] as $time) {
            $fibers['server']->resume('what is this?');
            $fibers['line']->resume();
        }
        return $fibers['server']->isSuspended() && $fibers['line']->isSuspended();
    },
), stats($pdo, 'opened', 'waits', 'in_use', 'waiting'));

// An exception goes to who waits.
$catch = fn(string $sql) => function () use ($pdo, $sql) {
    try {
        return run($pdo, $sql);
    } catch (LogicException $e) {
        return $e->getMessage() . ', then ' . run($pdo, 'SELECT 3')[0][0];
    }
};
show(pdo_pool_run(
    $task('server', $catch('SELECT pg_sleep(60)')),
    $task('line', $catch('SELECT 2')),
    function () use (&$fibers) {
        $fibers['line']->throw(new LogicException('line'));
        $fibers['server']->throw(new LogicException('server'));
    },
), stats($pdo, 'in_use', 'waiting'));

// One that ended meanwhile is done; one that failed there has nothing to return.
show(pdo_pool_run(
    $task('a', fn() => Fiber::suspend() . '!'),
    function () use (&$fibers) {
        $fibers['a']->resume('ended by another');
    },
));
$tasks = [
    $task('a', fn() => Fiber::suspend()),
    function () use (&$fibers) {
        message(fn() => $fibers['a']->throw(new LogicException('thrown by another')));
    },
];
echo message(fn() => pdo_pool_run(...$tasks)), "\n";
show(pdo_pool_run(fn() => run($pdo, 'SELECT 4')), stats($pdo, 'in_use', 'waiting'));
?>
--EXPECT--
[1,2,true]
{"in_use":0,"waiting":0,"opened":1,"waits":1}
["server, then 3","line, then 3",null]
{"in_use":0,"waiting":0}
["ended by another!",null]
FiberError: Cannot get fiber return value: The fiber threw an exception
[[[4]]]
{"in_use":0,"waiting":0}
