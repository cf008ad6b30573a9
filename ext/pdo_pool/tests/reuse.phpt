--TEST--
An idle statement is handed out again, as good as new
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.reuse_statements=1
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
gained();
$use = function (array $params) use ($pdo) {
    $statement = $pdo->prepare('SELECT ?::int AS a, ?::text AS b');
    show([$statement->errorCode(), $statement->columnCount(), $statement->rowCount(), $statement->fetch(),
        $statement->queryString, $statement->getColumnMeta(0)]);
    $statement->execute($params);
    $row = $statement->fetch(PDO::FETCH_ASSOC);
    return [$row, spl_object_id($statement)];
};
[$row, $id] = $use([1, 'x']);
show($row);
[$row, $again] = $use([2, 'y']);
show($row, $id === $again, gained());

// Parameters of the last user are gone, and so are its bound columns.
$statement = $pdo->prepare('SELECT ?::int AS a, ?::text AS b');
show(fails(fn() => $statement->execute()));
unset($statement);
$use([3, str_repeat('z', 100)]);
$statement = $pdo->prepare('SELECT ?::int AS a, ?::text AS b');
$statement->bindValue(2, 'only the second');
show(fails(fn() => $statement->execute()));
unset($statement);
$statement = $pdo->prepare('SELECT 5 AS five');
$statement->bindColumn('five', $five);
$statement->execute();
$statement->fetch(PDO::FETCH_BOUND);
unset($statement);
$statement = $pdo->prepare('SELECT 5 AS five');
$statement->execute();
show($five);
$five = null;
show($statement->fetch(PDO::FETCH_BOUND), $five);

// Used by two: the second one is another object.
$a = $pdo->prepare('SELECT 6');
$b = $pdo->prepare('SELECT 6');
show($a === $b);
$a->execute();
$b->execute();
show($a->fetch(), $b->fetch());
unset($a);
$c = $pdo->prepare('SELECT 6');
show($b === $c);
unset($b, $c, $statement);

// The table changes in between.
$pdo->exec('CREATE TEMPORARY TABLE reused AS SELECT 1 AS a');
show(run($pdo, 'SELECT * FROM reused'), run($pdo, 'SELECT * FROM reused'), run($pdo, 'SELECT * FROM reused'));
$pdo->exec("ALTER TABLE reused ADD b text DEFAULT 'x', ADD c int");
show(run($pdo, 'SELECT * FROM reused'), run($pdo, 'SELECT * FROM reused', null, PDO::FETCH_ASSOC));
// Named and emulated parameters.
for ($i = 0; $i < 3; $i++) {
    show(run($pdo, 'SELECT :a::int + :b::int', ['b' => $i, 'a' => 1]));
}
show(gained());
?>
--EXPECT--
[null,0,0,false,"SELECT ?::int AS a, ?::text AS b",false]
{"a":1,"b":"x"}
[null,0,0,false,"SELECT ?::int AS a, ?::text AS b",false]
{"a":2,"b":"y"}
true
{"misses":1,"unnamed":1,"reused":1}
"08P01"
[null,0,0,false,"SELECT ?::int AS a, ?::text AS b",false]
"08P01"
"5"
true
null
false
{"?column?":6,"0":6}
{"?column?":6,"0":6}
false
[[1]]
[[1]]
[[1]]
[[1,"x",null]]
[{"a":1,"b":"x","c":null}]
[[1]]
[[2]]
[[3]]
{"hits":3,"misses":5,"unnamed":7,"reprepares":1,"retries":1,"reused":10}
