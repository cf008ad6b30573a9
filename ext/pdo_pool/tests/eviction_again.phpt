--TEST--
A name that was given up in a transaction is not made again while the server still has it
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.stmt_cache_size=2
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
$twice = function (int $i) use ($pdo) {
    run($pdo, "SELECT $i");
    return run($pdo, "SELECT $i")[0][0];
};
gained();
$pdo->beginTransaction();
for ($round = 0; $round < 3; $round++) {
    show(array_map($twice, [1, 2, 3, 4]));
}
show(gained(), pdo_pool_stats($pdo)['to_deallocate']);
$pdo->commit();
show(array_map($twice, [1, 2, 3, 4]));
// After the schema has changed, too, a name that waits is not a good one.
run($pdo, 'CREATE TEMPORARY TABLE changing AS SELECT 1 AS a');
$pdo->beginTransaction();
$read = fn() => run($pdo, 'SELECT * FROM changing', null, PDO::FETCH_ASSOC);
show($read(), $read());
array_map($twice, [1, 2, 3, 4]);
$pdo->exec('ALTER TABLE changing ADD b int');
show($read(), $read());
$pdo->commit();
show($read());
?>
--EXPECT--
[1,2,3,4]
[1,2,3,4]
[1,2,3,4]
{"misses":12,"unnamed":12,"evictions":10}
10
[1,2,3,4]
[{"a":1}]
[{"a":1}]
[{"a":1,"b":null}]
[{"a":1,"b":null}]
[{"a":1,"b":null}]
