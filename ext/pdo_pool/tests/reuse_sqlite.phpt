--TEST--
pdo_sqlite's statements, handed out again
--EXTENSIONS--
pdo
pdo_sqlite
pdo_pool
--INI--
pdo_pool.reuse_statements=1
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = new PDO('sqlite::memory:');
$pdo->exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)');
for ($i = 1; $i <= 3; $i++) {
    $insert = $pdo->prepare('INSERT INTO t VALUES (:a, :b)');
    $insert->execute(['a' => $i, 'b' => "x$i"]);
    show($insert->rowCount());
    unset($insert);
    show(run($pdo, 'SELECT * FROM t WHERE a >= ?', [$i - 1], PDO::FETCH_ASSOC));
}
// What the last user bound is not there for the next one.
foreach ([['a' => 1, 'b' => 'secret'], ['b' => 'secret'], []] as $params) {
    show(run($pdo, 'SELECT :a, :b', $params), gained()['reused'] ?? 0);
    show(run($pdo, 'SELECT :a, :b', []), gained()['reused'] ?? 0);
}
// Left in the middle of its rows, it does not keep the table locked.
$statement = $pdo->prepare('SELECT a FROM t');
$statement->execute();
$statement->fetch();
unset($statement);
$pdo->exec('DROP TABLE t');
$pdo->exec('CREATE TABLE t (c TEXT, d TEXT)');
show(fails(fn() => run($pdo, 'SELECT a FROM t')));
run($pdo, "INSERT INTO t VALUES ('c', 'd')");
show(run($pdo, 'SELECT * FROM t', null, PDO::FETCH_ASSOC));
$pdo->exec('ALTER TABLE t ADD e DEFAULT 5');
show(run($pdo, 'SELECT * FROM t', null, PDO::FETCH_ASSOC));
show(array_filter(pdo_pool_stats()));
$kept = $pdo->prepare('SELECT 1');
run($pdo, 'SELECT 2');
$pdo = null;
$kept->execute();
show($kept->fetchColumn());
?>
--EXPECT--
1
[{"a":1,"b":"x1"}]
1
[{"a":1,"b":"x1"},{"a":2,"b":"x2"}]
1
[{"a":2,"b":"x2"},{"a":3,"b":"x3"}]
[["1","secret"]]
4
[[null,null]]
1
[[null,"secret"]]
0
[[null,null]]
0
[[null,null]]
0
[[null,null]]
0
"HY000"
[{"c":"c","d":"d"}]
[{"c":"c","d":"d","e":5}]
{"reused":7}
1
