--TEST--
The first use has no name, the second one gets it, the others use it
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
gained();
for ($i = 0; $i < 5; $i++) {
    show(run($pdo, 'SELECT ?::int + ?::int AS r', [$i, 1]), gained(), prepared($pdo));
}
// By name, by position, without parameters: each is a statement of its own.
for ($i = 0; $i < 3; $i++) {
    show(run($pdo, 'SELECT :a::int - :b::int, :a::text', ['a' => $i, 'b' => 1]));
    show(run($pdo, 'SELECT 1'));
}
show(gained(), count(prepared($pdo)), pdo_pool_stats($pdo));
?>
--EXPECT--
[[1]]
{"unnamed":1}
[]
[[2]]
{"misses":1}
["SELECT $1::int + $2::int AS r"]
[[3]]
{"hits":1}
["SELECT $1::int + $2::int AS r"]
[[4]]
{"hits":1}
["SELECT $1::int + $2::int AS r"]
[[5]]
{"hits":1}
["SELECT $1::int + $2::int AS r"]
[[-1,"0"]]
[[1]]
[[0,"1"]]
[[1]]
[[1,"2"]]
[[1]]
{"hits":2,"misses":2,"unnamed":2}
3
{"cached":true,"capacity":256,"named":3,"seen":0,"to_deallocate":0,"route":"direct"}
