--TEST--
Fibers of an event loop with the interface of Revolt wait by it
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

$all = function (array $tasks): array {
    $results = [];
    foreach ($tasks as $key => $task) {
        EventLoop::queue(function () use ($key, $task, &$results) {
            $results[$key] = $task();
        });
    }
    EventLoop::run();
    ksort($results);
    return $results;
};
$pdo = pool();
$order = [];
$pass = function (int $i) use ($pdo, &$order) {
    $pdo->beginTransaction();
    run($pdo, 'SELECT pg_advisory_xact_lock(2)');
    $order[] = $i;
    [[$sum, $pid]] = run($pdo, 'SELECT ?::int + ?::int, pg_backend_pid()', [$i, 1]);
    $same = $pid === pid($pdo);
    $pdo->commit();
    return $same ? $sum : 'another connection';
};
show($all(array_map(fn($i) => fn() => $pass($i), range(0, 9))));
sort($order);
show($order, stats($pdo, 'open', 'in_use', 'waiting', 'timeouts'), EventLoop::pending(), EventLoop::$callbacks > 30);

// Forgotten, failed, too late, and what is larger than a socket takes at once.
$one = pool([PDO::ATTR_POOL_MAX => 1]);
show($all([
    fn() => $one->beginTransaction(),
    fn() => $one->query('SELECT 1')->fetchColumn(),
    fn() => fails(fn() => $one->exec('SELECT 1/0')),
    fn() => strlen(run($one, 'SELECT ?::text', [str_repeat('x', 5_000_000)])[0][0]),
]));
$hasty = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 0.05]);
show($all([
    fn() => $hasty->exec('SELECT pg_sleep(0.5)'),
    fn() => fails(fn() => $hasty->exec('SELECT 2')),
]));
show(stats($one, 'rollbacks', 'timeouts', 'in_use', 'waiting'), stats($hasty, 'timeouts', 'in_use'), EventLoop::pending());

// The main program waits in line by running the loop.
$other = pool([PDO::ATTR_POOL_MAX => 1]);
$holder = null;
EventLoop::queue(function () use ($other, &$holder) {
    $other->beginTransaction();
    $holder = EventLoop::getSuspension();
    $holder->suspend();
    $other->commit();
});
EventLoop::runWhile(function () use (&$holder) {
    return !$holder;
});
EventLoop::queue(fn() => $holder->resume());
show($other->query('SELECT 3')->fetchColumn(), stats($other, 'waits', 'in_use'), EventLoop::pending());

// The program ends while some wait.
EventLoop::queue(function () use ($other) {
    try {
        $other->exec('SELECT pg_sleep(60)');
    } finally {
        echo "unwound\n";
    }
});
EventLoop::queue(fn() => $other->exec('SELECT 1'));
EventLoop::queue(fn() => exit("exit\n"));
EventLoop::run();
?>
--EXPECT--
[1,2,3,4,5,6,7,8,9,10]
[0,1,2,3,4,5,6,7,8,9]
{"open":3,"in_use":0,"waiting":0,"timeouts":0}
0
true
[true,1,"22012",5000000]
[0,"HYT00"]
{"in_use":0,"waiting":0,"timeouts":0,"rollbacks":1}
{"in_use":0,"timeouts":1}
0
3
{"in_use":0,"waits":1}
0
exit
unwound
