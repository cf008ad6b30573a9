--TEST--
Connections of a pool that are killed, grow old, or are not needed
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
kill($pid = pid($pdo));
show(fails(fn() => pid($pdo)), pid($pdo) !== $pid, stats($pdo, 'open', 'broken', 'opened'));

// A transaction that is lost stays lost until the application gives it up.
$pdo->beginTransaction();
kill(pid($pdo));
show(fails(fn() => $pdo->exec('SELECT 1')), fails(fn() => $pdo->exec('SELECT 2')), $pdo->inTransaction());
show($pdo->rollBack(), $pdo->inTransaction(), $pdo->query('SELECT 3')->fetchColumn());
$pdo->beginTransaction();
kill(pid($pdo));
show(fails(fn() => $pdo->commit()), $pdo->inTransaction(), $pdo->query('SELECT 4')->fetchColumn());

// One that others leave idle is looked at before it is handed out.
$look = function (PDO $pdo) {
    [$pid] = pdo_pool_run(fn() => pid($pdo));
    kill($pid);
    return pdo_pool_run(fn() => fails(fn() => pid($pdo)))[0];
};
show($look($pdo), $look(pool([PDO::ATTR_POOL_HEALTH_CHECK => false])));

// In the midst of the others.
$pdo = pool();
show(pdo_pool_run(
    fn() => fails(fn() => $pdo->exec('SELECT pg_terminate_backend(pg_backend_pid())')),
    fn() => $pdo->query('SELECT 5')->fetchColumn(),
    function () use ($pdo) {
        $pdo->beginTransaction();
        fails(fn() => $pdo->exec('SELECT pg_terminate_backend(pg_backend_pid())'));
        return fails(fn() => $pdo->exec('SELECT 1'));
    },
), $pdo->inTransaction(), $pdo->query('SELECT 6')->fetchColumn(), stats($pdo, 'in_use'));

$old = pool([PDO::ATTR_POOL_MAX_LIFETIME => 0.001]);
$pid = pid($old);
usleep(2000);
show(pid($old) !== $pid);

$idle = pool([PDO::ATTR_POOL_IDLE_TIMEOUT => 0.001, PDO::ATTR_POOL_MIN => 1]);
pdo_pool_run(...array_fill(0, 3, fn() => $idle->exec('SELECT pg_sleep(0.01)')));
$before = pdo_pool_stats($idle)['open'];
usleep(2000);
pdo_pool_run(fn() => $idle->exec('SELECT 1'));
show($before, stats($idle, 'open', 'broken'));

// A server that is not there.
$pdo = pool();
[$host] = run($pdo, 'SELECT current_database()')[0];
$pdo->exec('DROP ROLE IF EXISTS pool_once; CREATE ROLE pool_once LOGIN CONNECTION LIMIT 1');
$once = new PDO(str_replace('user=postgres', 'user=pool_once', getenv('PDO_POOL_TEST_DSN')), null, null,
    [PDO::ATTR_POOL_ENABLED => true]);
$tasks = fn() => pdo_pool_run(...array_fill(0, 3, fn() => strstr(message(fn() => $once->exec('SELECT pg_sleep(0.05)')), 'FATAL')));
show($tasks(), stats($once, 'open', 'in_use', 'waiting'));
$once = null;
$pdo->exec('DROP ROLE pool_once');
?>
--EXPECT--
"HY000"
true
{"open":1,"opened":2,"broken":1}
"HY000"
"HY000"
true
true
false
3
"HY000"
false
4
"no error"
"HY000"
["HY000",5,"HY000"]
false
6
{"in_use":0}
true
3
{"open":1,"broken":0}
["FATAL:  too many connections for role \"pool_once\"\n","FATAL:  too many connections for role \"pool_once\"\n","FATAL:  too many connections for role \"pool_once\"\n"]
{"open":1,"in_use":0,"waiting":0}
