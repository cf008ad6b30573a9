--TEST--
A process that is forked leaves the connections to its parent
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
pcntl
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';

/** What a child prints is not to come twice. */
function child(callable $do): void
{
    flush();
    $pid = pcntl_fork();
    if (!$pid) {
        $do();
        exit;
    }
    pcntl_waitpid($pid, $status);
    show($status);
}

$pdo = pool([PDO::ATTR_POOL_MIN => 2]);
$pdo->beginTransaction();
$pid = pid($pdo);

// It works on its own ones, and without the transaction.
child(function () use ($pdo, $pid) {
    show(fails(fn() => $pdo->exec('SELECT 1')), $pdo->inTransaction(), $pdo->rollBack());
    show(run($pdo, 'SELECT 2'), pid($pdo) !== $pid, pdo_pool_run(fn() => run($pdo, 'SELECT 3'), fn() => run($pdo, 'SELECT 4')));
});
show(pid($pdo) === $pid, $pdo->commit(), stats($pdo, 'open', 'broken'));

// It does nothing, and ends: in the main program, and in a fiber beside others that have transactions or wait.
child(fn() => null);
show(pid($pdo) === $pid);
show(pdo_pool_run(function () use ($pdo) {
    $pdo->beginTransaction();
    $pid = pid($pdo);
    Fiber::suspend();
    return pid($pdo) === $pid && $pdo->commit();
}, fn() => run($pdo, 'SELECT 5, pg_sleep(0.1)')[0][0], function () {
    child(fn() => null);
}), stats($pdo, 'in_use', 'broken'));
?>
--EXPECT--
"HY000"
true
true
[[2]]
true
[[[3]],[[4]]]
0
true
true
{"open":2,"broken":0}
0
true
0
[true,5,null]
{"in_use":0,"broken":0}
