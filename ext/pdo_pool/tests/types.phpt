--TEST--
SQL with other types of parameters is another statement
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
for ($i = 0; $i < 3; $i++) {
    show(run($pdo, 'SELECT ?', [$i]));
    show(run($pdo, 'SELECT ?', ['abc']));
}
// A large object is bound as an oid, where text would be guessed otherwise.
$pdo->beginTransaction();
$oid = $pdo->pgsqlLOBCreate();
for ($i = 0; $i < 3; $i++) {
    $lob = $pdo->pgsqlLOBOpen($oid, 'r');
    $statement = $pdo->prepare('SELECT pg_typeof(coalesce(?, \'1\'))::text');
    $statement->bindValue(1, $lob, PDO::PARAM_LOB);
    $statement->execute();
    show($statement->fetchColumn());
    show(run($pdo, 'SELECT pg_typeof(coalesce(?, \'1\'))::text', ['abc']));
    unset($lob);
}
$pdo->rollBack();
// One statement, other types each time.
$statement = $pdo->prepare('SELECT ?');
$pdo->beginTransaction();
$oid = $pdo->pgsqlLOBCreate();
for ($i = 0; $i < 3; $i++) {
    $lob = $pdo->pgsqlLOBOpen($oid, 'r');
    $statement->bindValue(1, $lob, PDO::PARAM_LOB);
    $statement->execute();
    show($statement->fetchColumn() === $oid + 0);
    $statement->bindValue(1, 'abc');
    $statement->execute();
    show($statement->fetchColumn());
}
$pdo->rollBack();
// Too few, too many.
for ($i = 0; $i < 3; $i++) {
    show(fails(fn() => run($pdo, 'SELECT ?::int, ?::int', [1])), fails(fn() => run($pdo, 'SELECT ?::int', [1, 2])));
}
show(run($pdo, 'SELECT ?::int, ?::int', [1, 2]));
?>
--EXPECT--
[["0"]]
[["abc"]]
[["1"]]
[["abc"]]
[["2"]]
[["abc"]]
"oid"
[["text"]]
"oid"
[["text"]]
"oid"
[["text"]]
true
"abc"
true
"abc"
true
"abc"
"08P01"
"HY093"
"08P01"
"HY093"
"08P01"
"HY093"
[[1,2]]
