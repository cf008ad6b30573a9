--TEST--
Large objects, COPY and notifications are on the connection of the fiber
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
error_reporting(E_ALL & ~E_DEPRECATED); // since 8.5 these methods are Pdo\Pgsql's
$pdo = pool();
$pdo->exec('DROP TABLE IF EXISTS pool_copy; CREATE TABLE pool_copy (x int)');
$lob = fn(string $content) => function () use ($pdo, $content) {
    $pdo->beginTransaction();
    $oid = $pdo->pgsqlLOBCreate();
    $stream = $pdo->pgsqlLOBOpen($oid, 'w');
    $pdo->exec('SELECT pg_sleep(0.01)');
    fwrite($stream, $content);
    rewind($stream);
    $read = fread($stream, 100);
    run($pdo, 'SELECT pg_sleep(?)', ['0.01']);
    $same = $read === $content && ftell($stream) === strlen($content);
    $pdo->pgsqlLOBUnlink($oid);
    $pdo->commit();
    return [$same, is_resource($stream)];
};
show(pdo_pool_run(...array_map($lob, ['one', 'and two', 'three', 'the fourth', 'five'])));

$copy = fn(int $i) => function () use ($pdo, $i) {
    $pdo->beginTransaction();
    $pdo->pgsqlCopyFromArray('pool_copy', array_fill(0, $i, $i));
    $mine = $pdo->query('SELECT count(*) FROM pool_copy')->fetchColumn();
    $rows = $pdo->pgsqlCopyToArray('pool_copy');
    $pdo->rollBack();
    return [$mine, array_sum($rows)];
};
show(pdo_pool_run(...array_map($copy, range(1, 5))));

show(pdo_pool_run(function () use ($pdo) {
    $pdo->exec('LISTEN pool_news');
    $pdo->exec("NOTIFY pool_news, 'heard'");
    $pdo->beginTransaction();
    return $pdo->pgsqlGetNotify(PDO::FETCH_NUM, 5000)[2];
}, function () use ($pdo) {
    $pdo->beginTransaction();
    return $pdo->pgsqlGetPid() === pid($pdo);
}));

// All that stands still is counted: create, open, and each of write, seek, read, and close.
$pdo->beginTransaction();
$steps = [];
$step = function () use ($pdo, &$steps) {
    static $before = null;
    $now = pdo_pool_stats($pdo)['blocking'];
    $steps[] = $now - ($before ?? $now);
    $before = $now;
};
$step();
$oid = $pdo->pgsqlLOBCreate();
$step();
$stream = $pdo->pgsqlLOBOpen($oid, 'w');
$step();
fwrite($stream, 'content');
$step();
rewind($stream);
$step();
fread($stream, 5);
$step();
fclose($stream);
$step();
$fetched = $pdo->query("SELECT $oid::oid");
$fetched->bindColumn(1, $stream, PDO::PARAM_LOB);
$step();
$fetched->fetch(PDO::FETCH_BOUND);
$step();
show($steps, stream_get_contents($stream), pdo_pool_stats($pdo)['blocking_time'] > 0);
$stream = null;
$pdo->pgsqlLOBUnlink($oid);
$pdo->commit();

// A stream that outlives its transaction and its connection.
$kept = null;
pdo_pool_run(function () use ($pdo, &$kept) {
    $pdo->beginTransaction();
    $kept = $pdo->pgsqlLOBOpen($pdo->pgsqlLOBCreate(), 'w');
    kill($pdo->pgsqlGetPid());
});
pdo_pool_run(fn() => pid($pdo), fn() => pid($pdo), fn() => pid($pdo));
show(is_resource($kept) ? @fwrite($kept, 'x') : 'closed');
?>
--CLEAN--
<?php
require __DIR__ . '/connect.inc';
connect()->exec('DROP TABLE IF EXISTS pool_copy');
?>
--EXPECT--
[[true,false],[true,false],[true,false],[true,false],[true,false]]
[[1,1],[2,4],[3,9],[4,16],[5,25]]
["heard",true]
[0,1,1,1,1,1,1,0,1]
"content"
true
"closed"
