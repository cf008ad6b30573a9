--TEST--
The least used names go, and the server is told in batches
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.stmt_cache_size=3
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
$twice = function (int $i) use ($pdo) {
    run($pdo, "SELECT $i");
    run($pdo, "SELECT $i");
};
foreach ([1, 2, 3] as $i) {
    $twice($i);
}
show(prepared($pdo));
run($pdo, 'SELECT 1');
$twice(4);
gained();
foreach ([1, 3, 4] as $i) {
    run($pdo, "SELECT $i");
}
show(gained(), pdo_pool_stats($pdo));
// What is used once takes no name away.
for ($i = 100; $i < 200; $i++) {
    run($pdo, "SELECT $i");
}
foreach ([1, 3, 4] as $i) {
    run($pdo, "SELECT $i");
}
show(gained());
$most = 0;
for ($i = 1000; $i < 1100; $i++) {
    $twice($i);
    $most = max($most, count(prepared($pdo)));
}
show(gained(), $most);
// Not in a transaction, however many there are; then the rest stays without a name.
$pdo->beginTransaction();
for ($i = 2000; $i < 2100; $i++) {
    $twice($i);
}
show(gained(), pdo_pool_stats($pdo)['to_deallocate']);
$pdo->commit();
$twice(3000);
show(gained(), prepared($pdo));
?>
--EXPECT--
["SELECT 1","SELECT 2","SELECT 3"]
{"hits":3}
{"cached":true,"capacity":3,"named":3,"seen":0,"to_deallocate":1,"route":"direct"}
{"hits":3,"unnamed":100}
{"misses":100,"unnamed":100,"evictions":100}
19
{"misses":59,"unnamed":141,"evictions":59}
64
{"misses":1,"unnamed":1,"evictions":1}
["SELECT 2056","SELECT 2057","SELECT 2058","SELECT 3000"]
