--TEST--
Fibers that are destroyed while they wait, for the server or in line
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
register_shutdown_function(function () use ($pdo) {
    show('shutdown', $pdo->query('SELECT 1')->fetchColumn(), stats($pdo, 'in_use', 'waiting', 'broken', 'opened'));
});
$asleep = false;
pdo_pool_run(function () use ($pdo, &$asleep) {
    try {
        $pdo->beginTransaction();
        $asleep = true;
        $pdo->exec('SELECT pg_sleep(60)');
    } finally {
        show('unwound', fails(fn() => $pdo->exec('SELECT 1')), $pdo->rollBack());
    }
}, function () use ($pdo) {
    try {
        run($pdo, 'SELECT pg_sleep(60)');
    } finally {
        show('unwound in line');
    }
}, function () use (&$asleep) {
    while (!$asleep) {
        Fiber::suspend();
    }
    exit("exit\n");
});
?>
--EXPECT--
exit
"unwound"
"HY000"
true
"unwound in line"
"shutdown"
1
{"in_use":0,"waiting":0,"opened":2,"broken":1}
