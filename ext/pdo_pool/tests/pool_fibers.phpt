--TEST--
Fibers work at once, each on a connection of its own while it needs one
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
$pdo = pool();
$pdo->exec('DROP TABLE IF EXISTS pool_fibers; CREATE TABLE pool_fibers (id serial PRIMARY KEY, task int)');

// Each waits for a lock that the one before holds: if one of them blocked, none would come to an end.
$order = [];
$pass = function (int $i) use ($pdo, &$order) {
    $pdo->beginTransaction();
    $pid = pid($pdo);
    run($pdo, 'SELECT pg_advisory_xact_lock(?)', [1]);
    $order[] = $i;
    $insert = $pdo->prepare('INSERT INTO pool_fibers (task) VALUES (?)');
    $insert->execute([$i]);
    $mine = $pdo->lastInsertId();
    $same = pid($pdo) === $pid && run($pdo, 'SELECT task FROM pool_fibers WHERE id = ?', [$mine]) === [[$i]];
    $pdo->commit();
    return $same && !$pdo->inTransaction();
};
$each = fn(callable $task, array $values) => array_map(fn($value) => fn() => $task($value), $values);
show(pdo_pool_run(...$each($pass, range(0, 9))));
sort($order);
show($order, stats($pdo, 'open', 'in_use', 'waiting', 'timeouts'));

// First come, first served.
$order = [];
$one = pool([PDO::ATTR_POOL_MAX => 1]);
$serve = function (int $i) use ($one, &$order) {
    run($one, 'SELECT pg_sleep(0.01)');
    $order[] = $i;
};
pdo_pool_run(...$each($serve, range(0, 5)));
show($order, stats($one, 'waits', 'open'));
// One that goes on asking does not keep the others waiting.
$order = [];
pdo_pool_run(function () use ($one, &$order) {
    for ($i = 0; $i < 4; $i++) {
        run($one, 'SELECT 1');
        $order[] = 'many';
    }
}, function () use ($one, &$order) {
    run($one, 'SELECT 2');
    $order[] = 'once';
});
show($order);
// Nor does one that has something else to do before it asks again.
$served = false;
$one = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 5]);
show(pdo_pool_run(function () use ($one, &$served) {
    run($one, 'SELECT pg_sleep(0.01)');
    while (!$served) {
        Fiber::suspend();
    }
    return pid($one);
}, function () use ($one, &$served) {
    try {
        return pid($one);
    } finally {
        $served = true;
    }
}) === array_fill(0, 2, pid($one)));

// Errors are those of the fiber.
$pdo = pool([PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT]);
$fail = fn(string $sql) => function () use ($pdo, $sql) {
    $pdo->query($sql);
    $pdo->exec('SELECT pg_sleep(0)') && Fiber::suspend();
    $result = $pdo->query($sql);
    Fiber::suspend();
    return [$result === false, $pdo->errorCode(), $pdo->errorInfo()[0]];
};
show(pdo_pool_run($fail('SELECT nothing'), $fail('SELECT 1/0'), $fail('SELECT 1'), $fail('nonsense')));

// A statement that is prepared by one is executed by all, after another.
$pdo = pool();
$shared = $pdo->prepare('SELECT ?::int * 2');
show(pdo_pool_run(...array_map(fn($i) => function () use ($shared, $i) {
    try {
        $shared->execute([$i]);
        return $shared->fetchColumn();
    } catch (Error $e) {
        return str_replace('PDOStatement', 'PDO', $e->getMessage()); // another is about to
    }
}, [1, 2])), $shared->execute([3]), $shared->fetchColumn());
?>
--CLEAN--
<?php
require __DIR__ . '/connect.inc';
connect()->exec('DROP TABLE IF EXISTS pool_fibers');
?>
--EXPECT--
[true,true,true,true,true,true,true,true,true,true]
[0,1,2,3,4,5,6,7,8,9]
{"open":3,"in_use":0,"waiting":0,"timeouts":0}
[0,1,2,3,4,5]
{"open":1,"waits":5}
["many","once","many","many","many"]
true
[[true,"42703","42703"],[true,"22012","22012"],[false,"00000","00000"],[true,"42601","42601"]]
[2,"PDO object is uninitialized"]
true
6
