--TEST--
Transactions that are forgotten, and lines that are too long
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
$pdo = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 20]);
$pdo->exec('DROP TABLE IF EXISTS pool_forgotten; CREATE TABLE pool_forgotten (x int)');
$count = fn() => (int) $pdo->query('SELECT count(*) FROM pool_forgotten')->fetchColumn();

// By a fiber that ends while others wait.
show(pdo_pool_run(function () use ($pdo) {
    $pdo->beginTransaction();
    $pdo->exec('INSERT INTO pool_forgotten VALUES (1)');
}, $count), $pdo->inTransaction(), $count(), stats($pdo, 'rollbacks', 'opened'));
echo message(fn() => pdo_pool_run(function () use ($pdo) {
    $pdo->beginTransaction();
    $pdo->exec('INSERT INTO pool_forgotten VALUES (2)');
    throw new Exception('of the task');
})), "\n";
show($count(), stats($pdo, 'rollbacks', 'opened'));

// By a fiber that is destroyed; by one in whose transaction something failed.
$fiber = new Fiber(function () use ($pdo) {
    $pdo->beginTransaction();
    $pdo->exec('INSERT INTO pool_forgotten VALUES (3)');
    Fiber::suspend();
});
$fiber->start();
echo message($count), "\n"; // and nobody can wait here
$fiber = null;
gc_collect_cycles();
show($count(), fails(fn() => pdo_pool_run(function () use ($pdo) {
    $pdo->beginTransaction();
    $pdo->exec('SELECT 1/0');
})), $count(), stats($pdo, 'rollbacks', 'opened', 'in_use'));

// Nobody could end this wait: the one who could is the one who waits for the tasks.
$pdo->beginTransaction();
echo message(fn() => pdo_pool_run($count)), "\n";
show($pdo->inTransaction(), $pdo->commit());

// What time can end takes its time.
$short = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 0.05]);
show(pdo_pool_run(fn() => $short->exec("SELECT pg_sleep(0.5)"), fn() => fails(fn() => $short->exec('SELECT 1'))));
$never = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 0]);
show(pdo_pool_run(fn() => $never->exec("SELECT pg_sleep(0.1)"), fn() => fails(fn() => $never->exec('SELECT 1'))));
show(stats($short, 'timeouts', 'in_use', 'open', 'waiting'), stats($never, 'timeouts', 'waiting'));

// The last INSERT was another connection's, if the connection went to somebody else.
$pdo->exec('DROP TABLE pool_forgotten; CREATE TABLE pool_forgotten (x serial)');
show(pdo_pool_run(function () use ($pdo) {
    $pdo->exec('INSERT INTO pool_forgotten DEFAULT VALUES');
    $at_once = $pdo->lastInsertId();
    Fiber::suspend();
    return [$at_once, fails(fn() => $pdo->lastInsertId())];
}, function () use ($pdo) {
    $pdo->exec('INSERT INTO pool_forgotten DEFAULT VALUES');
    return $pdo->lastInsertId();
}));
?>
--CLEAN--
<?php
require __DIR__ . '/connect.inc';
connect()->exec('DROP TABLE IF EXISTS pool_forgotten');
?>
--EXPECT--
[null,0]
false
0
{"opened":1,"rollbacks":1}
Exception: of the task
0
{"opened":1,"rollbacks":2}
PDOException: SQLSTATE[HYT00] [7] all 1 connections of the pool are held by other fibers, and nobody can be switched to here: run the fibers by pdo_pool_run() or by Revolt's event loop, or raise PDO::ATTR_POOL_MAX
0
"22012"
0
{"in_use":0,"opened":1,"rollbacks":4}
PDOException: SQLSTATE[HYT00] [7] no connection of the pool will become free: all 1 are held by the program outside of pdo_pool_run(), or by tasks that wait in line themselves; end those transactions before, or raise PDO::ATTR_POOL_MAX
true
true
[0,"HYT00"]
[0,"HYT00"]
{"open":1,"in_use":0,"waiting":0,"timeouts":1}
{"waiting":0,"timeouts":1}
[["1","55000"],"2"]
