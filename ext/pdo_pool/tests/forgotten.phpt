--TEST--
DISCARD and DEALLOCATE by the application, and behind our back
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
$use = function () use ($pdo) {
    return run($pdo, 'SELECT 1 AS one');
};
foreach ([
    fn() => $pdo->exec('DISCARD ALL'),
    fn() => $pdo->exec('deallocate all'),
    fn() => $pdo->query("-- a comment\nDEALLOCATE PREPARE ALL"),
    fn() => $pdo->exec('SELECT 1; DEALLOCATE ALL'),
    fn() => $pdo->exec('DEALLOCATE ' . ask($pdo, 'SELECT name FROM pg_prepared_statements LIMIT 1')[0]),
    fn() => $pdo->exec('DEALLOCATE "' . ask($pdo, 'SELECT name FROM pg_prepared_statements LIMIT 1')[0] . '"'),
    fn() => $pdo->exec("DO 'BEGIN EXECUTE ''DEALLOCATE ALL''; END'"),
    fn() => fails(fn() => $pdo->exec('BEGIN; DISCARD ALL')) . $pdo->exec('ROLLBACK'),
    fn() => $pdo->exec('DISCARD PLANS'),
] as $number => $forget) {
    $use();
    $use();
    $use();
    $forget();
    gained();
    $pdo->beginTransaction();
    $failed = fails($use);
    $pdo->rollBack();
    // Only what a function did can be unknown, and only in a transaction does it show.
    show([$number, $failed, gained()]);
    show($use());
}
// These only look like it.
$pdo->exec('CREATE TEMPORARY TABLE looks ("DISCARD" text)');
$use();
$use();
gained();
foreach ([
    "SELECT '; DISCARD ALL'",
    "SELECT E'\\'; DISCARD ALL; '",
    'SELECT $a$ ; DISCARD ALL; $b$; DEALLOCATE ALL; $a$',
    'SELECT 1; /* ; /* DISCARD ALL; */ ; DISCARD ALL; */ SELECT 2',
    "SELECT 1; -- DISCARD ALL; DISCARD ALL\n",
    'UPDATE looks SET "DISCARD" = \'x\'; SELECT ";DISCARD ALL" FROM (SELECT 1 AS ";DISCARD ALL") q',
    'SELECT 1; ; ;',
    'DEALLOCATE mine',
    "LISTEN x; NOTIFY x",
] as $sql) {
    try {
        $pdo->exec($sql);
    } catch (PDOException) {
    }
    run($pdo, 'SELECT 1 AS one');
}
show(gained());
$pdo->exec("DO 'BEGIN EXECUTE ''DEALLOCATE ALL''; END'");
gained();
show($use(), gained(), $use(), gained());
?>
--EXPECT--
[0,"no error",{"misses":1}]
[[1]]
[1,"no error",{"misses":1}]
[[1]]
[2,"no error",{"misses":1}]
[[1]]
[3,"no error",{"misses":1}]
[[1]]
[4,"no error",{"misses":1}]
[[1]]
[5,"no error",{"misses":1}]
[[1]]
[6,"no error",{"unnamed":1,"reprepares":1}]
[[1]]
[7,"no error",{"misses":1}]
[[1]]
[8,"no error",{"unnamed":1,"reprepares":1}]
[[1]]
{"hits":9}
[[1]]
{"unnamed":1,"reprepares":1,"retries":1}
[[1]]
{"misses":1}
