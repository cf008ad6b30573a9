--TEST--
COPY beside named statements
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
$pdo->exec('CREATE TEMPORARY TABLE copied (a int, b text)');
$count = fn() => run($pdo, 'SELECT count(*) FROM copied WHERE a > ?', [0]);
for ($i = 0; $i < 4; $i++) {
    $pdo->pgsqlCopyFromArray('copied', ["1\tx", "2\ty"]);
    show($count(), count($pdo->pgsqlCopyToArray('copied')));
}
?>
--EXPECT--
[[2]]
2
[[4]]
4
[[6]]
6
[[8]]
8
