--TEST--
A pool resets the session before another fiber gets it, and keeps its statements
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.prepare_threshold=1
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
const STATE = "SELECT current_setting('work_mem'), to_regclass('pg_temp.mine') IS NULL,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
    (SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_cursors)";

foreach ([false, true] as $reset) {
    $pdo = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_RESET => $reset]);
    show($pdo->getAttribute(PDO::ATTR_POOL_RESET));
    $clean = run($pdo, STATE)[0];
    gained();
    pdo_pool_run(
        function () use ($pdo) {
            $pdo->exec("SET work_mem = '7MB'; CREATE TEMP TABLE mine (a int); SELECT pg_advisory_lock(1);
                LISTEN news; DECLARE c CURSOR WITH HOLD FOR SELECT 1; NOTIFY news");
        },
        function () use ($pdo, $clean) {
            show(run($pdo, STATE)[0] === $clean, $pdo->pgsqlGetNotify() === false);
            $pdo->beginTransaction(); // forgotten
            $pdo->exec("SET work_mem = '8MB'; SELECT pg_advisory_lock(2)");
        },
        function () use ($pdo, $clean) {
            show(run($pdo, STATE)[0] === $clean);
        },
    );
    show(gained(), stats($pdo, 'opened', 'broken', 'rollbacks', 'blocking'), pdo_pool_stats($pdo)['resets'] > 2);
    $pdo = null;
}

// A session that cannot be reset is closed.
$pdo = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_RESET => true]);
$first = pid($pdo);
pdo_pool_run(function () use ($pdo, &$second) {
    kill($second = pid($pdo));
    fails(fn() => $pdo->exec('SELECT 1'));
});
pdo_pool_run(fn() => show($first === $second, pid($pdo) === $second));
?>
--EXPECT--
false
false
false
false
{"hits":2}
{"opened":1,"broken":0,"rollbacks":1,"blocking":1}
false
true
true
true
true
{"hits":2}
{"opened":1,"broken":0,"rollbacks":1,"blocking":1}
true
true
false
