--TEST--
A name that is looked at again after the schema has changed is remembered as itself
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.reuse_statements=1
pdo_pool.prepare_threshold=1
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
$use = fn(string $sql, int $value) => run($pdo, $sql, [$value])[0][0];
[$one, $other] = ['SELECT ?::int AS one', 'SELECT ?::int * 100 AS other'];
for ($i = 0; $i < 3; $i++) {
    show($use($one, 1), $use($other, 2));
}
$pdo->exec('CREATE TEMPORARY TABLE changed (id int)');
// The other one is the newest in the cache when this one's name is found to be good.
show($use($one, 3), $use($one, 4), $use($other, 5), $use($other, 6), $use($one, 7));
?>
--EXPECT--
1
200
1
200
1
200
3
4
500
600
7
