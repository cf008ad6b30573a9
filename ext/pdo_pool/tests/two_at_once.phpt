--TEST--
Two open statements of one SQL share a name, and neither minds the other
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
$sql = 'SELECT g + ?::int FROM generate_series(1, 3) g';
$a = $pdo->prepare($sql);
$b = $pdo->prepare($sql);
$c = $pdo->prepare($sql);
$a->execute([0]);
$b->execute([10]);
$c->execute([20]);
show(count(prepared($pdo)));
for ($i = 0; $i < 3; $i++) {
    show([$a->fetchColumn(), $b->fetchColumn(), $c->fetchColumn()]);
}
unset($b);
$a->execute([30]);
show($a->fetchAll(PDO::FETCH_COLUMN), count(prepared($pdo)));
unset($a, $c);
show(count(prepared($pdo)), run($pdo, $sql, [40]));
// Nested, as in code that reads while it reads.
$outer = $pdo->prepare($sql);
$outer->execute([0]);
while (($x = $outer->fetchColumn()) !== false) {
    show(array_merge(...run($pdo, $sql, [$x * 100])));
}
show(array_intersect_key(pdo_pool_stats(), ['misses' => 0, 'unnamed' => 0]));
?>
--EXPECT--
1
[1,11,21]
[2,12,22]
[3,13,23]
[31,32,33]
1
1
[[41],[42],[43]]
[101,102,103]
[201,202,203]
[301,302,303]
{"misses":1,"unnamed":1}
