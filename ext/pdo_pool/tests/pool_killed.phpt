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

class Kept extends PDO
{
    public string $error = '';

    public function __construct(string $dsn, array $options)
    {
        try {
            parent::__construct($dsn, null, null, $options);
        } catch (PDOException $e) {
            $this->error = $e->errorInfo[0];
        }
    }
}

/** A pool of 3 connections, as a role that is allowed that many. */
function limited(PDO $pdo, int $limit, array $options = []): PDO
{
    $pdo->exec("DROP ROLE IF EXISTS pool_limited; CREATE ROLE pool_limited LOGIN CONNECTION LIMIT $limit");
    return new Kept(str_replace('user=postgres', 'user=pool_limited', getenv('PDO_POOL_TEST_DSN')),
        $options + [PDO::ATTR_POOL_ENABLED => true, PDO::ATTR_POOL_MAX => 3]);
}

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

// A server that takes no more.
$pdo = pool();
$once = limited($pdo, 1);
$say = fn(string $message) => preg_replace('/(?<=another: ).*(?=FATAL)/s', '', $message);
show(array_map($say, pdo_pool_run(...array_fill(0, 3, fn() => message(fn() => $once->exec('SELECT pg_sleep(0.05)'))))));
show(stats($once, 'open', 'in_use', 'waiting'));
// One that does not know the role any more.
$pdo->exec('ALTER ROLE pool_limited RENAME TO pool_renamed');
$say = fn(string $message) => preg_replace('/(?<=made: ).*(?=FATAL)/s', '', $message);
show(array_map($say, pdo_pool_run(...array_fill(0, 2, fn() => message(fn() => $once->exec('SELECT pg_sleep(0.05)'))))));
$pdo->exec('ALTER ROLE pool_renamed RENAME TO pool_limited');

// An object that its class keeps, although not all connections could be made: these are free to be made later.
$half = limited($pdo, 2, [PDO::ATTR_POOL_MIN => 3]);
$pdo->exec('ALTER ROLE pool_limited CONNECTION LIMIT -1');
$pids = fn() => array_unique(pdo_pool_run(...array_fill(0, 3, fn() => run($half, 'SELECT pg_backend_pid(), pg_sleep(0.05)')[0][0])));
show($half->error, count($pids()), stats($half, 'open', 'waits'));
$once = $half = null;
$pdo->exec('DROP ROLE pool_limited');
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
["PDOException: SQLSTATE[53300] [7] the pool has 1 connections and could not make another: FATAL:  too many connections for role \"pool_limited\"; raise max_connections of the server, or the limit of the role or database, or lower PDO::ATTR_POOL_MAX (3)","PDOException: SQLSTATE[53300] [7] the pool has 1 connections and could not make another: FATAL:  too many connections for role \"pool_limited\"; raise max_connections of the server, or the limit of the role or database, or lower PDO::ATTR_POOL_MAX (3)","nothing"]
{"open":1,"in_use":0,"waiting":0}
["nothing","PDOException: SQLSTATE[08006] [7] another connection of the pool could not be made: FATAL:  role \"pool_limited\" does not exist"]
"53300"
3
{"open":3,"waits":0}
