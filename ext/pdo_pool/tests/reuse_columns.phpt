--TEST--
Columns that stay described: PDO tells nothing of them too early, and never those of before
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
$sql = 'SELECT 1 AS one, ?::text AS Two';
$use = fn(PDO $pdo, string $sql, array $params = []) => run($pdo, $sql, $params, PDO::FETCH_ASSOC);
for ($i = 0; $i < 3; $i++) {
    show($use($pdo, $sql, ["use $i"]));
}

// Nothing is known before the first execution, and after it all is.
$statement = $pdo->prepare($sql);
show([$statement->columnCount(), $statement->getColumnMeta(0), $statement->fetch()]);
$statement->bindColumn('two', $two);
$statement->bindColumn(1, $one);
show($statement->columnCount());
$statement->execute(['bound']);
show([$statement->columnCount(), $statement->getColumnMeta(1)['name']]);
$statement->fetch(PDO::FETCH_BOUND);
show([$one, $two]);
unset($statement);
$statement = $pdo->prepare($sql);
$statement->execute(['not bound']);
show($statement->fetch(PDO::FETCH_NUM), [$one, $two]);

// Executed again, closed between, and bound when it is known.
$statement->closeCursor();
$statement->bindColumn('two', $two);
show($statement->columnCount());
$statement->execute(['once more']);
$statement->fetch(PDO::FETCH_BOUND);
show($two);
unset($statement);
$statement = $pdo->prepare($sql);
show(fails(fn() => $statement->bindColumn('no such', $nothing) && $statement->execute(['x']) && $statement->fetch()));
unset($statement, $two, $one, $nothing);

// Another number of parameters, and none.
show(fails(fn() => $use($pdo, $sql)), fails(fn() => $use($pdo, $sql, [1, 2])), $use($pdo, $sql, ['as before']));

// Without rows, and without columns.
$pdo->exec('CREATE TEMPORARY TABLE t (a int, b text)');
for ($i = 0; $i < 4; $i++) {
    $insert = $pdo->prepare('INSERT INTO t VALUES (?, ?)');
    show([$insert->columnCount(), $insert->rowCount(), $insert->execute([$i, "row $i"]), $insert->columnCount(), $insert->rowCount()]);
    unset($insert);
    show($use($pdo, 'SELECT * FROM t WHERE a > ?', [1]));
}

// The table changes: more columns, fewer, others.
foreach (['ADD c int', 'DROP b', 'ALTER c TYPE text', 'RENAME c TO d'] as $change) {
    $pdo->exec("ALTER TABLE t $change");
    for ($i = 0; $i < 3; $i++) {
        show($use($pdo, 'SELECT * FROM t WHERE a > ?', [2]));
    }
}

// A large object for a parameter, whose type is another then.
$pdo->beginTransaction();
$oid = $pdo->pgsqlLOBCreate();
$large = $pdo->pgsqlLOBOpen($oid, 'w');
for ($i = 0; $i < 4; $i++) {
    $statement = $pdo->prepare('SELECT ?::text');
    $statement->bindValue(1, $i === 2 ? $large : 'text', $i === 2 ? PDO::PARAM_LOB : PDO::PARAM_STR);
    $statement->execute();
    show($statement->fetchColumn() === ($i === 2 ? (string) $oid : 'text'));
    unset($statement);
}
unset($large);
$pdo->rollBack();

// Settings that the other PDO object of a persistent connection changes.
$a = connect([PDO::ATTR_PERSISTENT => 'reuse_columns']);
$b = connect([PDO::ATTR_PERSISTENT => 'reuse_columns']);
for ($i = 0; $i < 3; $i++) {
    show($use($a, 'SELECT 1 AS "Mixed"'));
}
$b->setAttribute(PDO::ATTR_CASE, PDO::CASE_UPPER);
show($use($a, 'SELECT 1 AS "Mixed"'));
$c = connect([PDO::ATTR_PERSISTENT => 'reuse_columns', PDO::ATTR_CASE => PDO::CASE_LOWER, PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_NUM]);
show($use($a, 'SELECT 1 AS "Mixed"'));
$statement = $a->prepare('SELECT 1 AS "Mixed"');
$statement->execute();
show($statement->fetch());

// Switched off while one waits and one is out.
$out = $pdo->prepare('SELECT 3');
$use($pdo, 'SELECT 4');
gained();
ini_set('pdo_pool.reuse_statements', '0');
$use($pdo, 'SELECT 4');
$out->execute();
show($out->fetchColumn());
unset($out);
$use($pdo, 'SELECT 3');
ini_set('pdo_pool.reuse_statements', '1');
show(gained()['reused'] ?? 0);
?>
--EXPECT--
[{"one":1,"two":"use 0"}]
[{"one":1,"two":"use 1"}]
[{"one":1,"two":"use 2"}]
[0,false,false]
0
[2,"two"]
["1","bound"]
[1,"not bound"]
["1","bound"]
2
"once more"
"no error"
"08P01"
"HY093"
[{"one":1,"two":"as before"}]
[0,0,true,0,1]
[]
[0,0,true,0,1]
[]
[0,0,true,0,1]
[{"a":2,"b":"row 2"}]
[0,0,true,0,1]
[{"a":2,"b":"row 2"},{"a":3,"b":"row 3"}]
[{"a":3,"b":"row 3","c":null}]
[{"a":3,"b":"row 3","c":null}]
[{"a":3,"b":"row 3","c":null}]
[{"a":3,"c":null}]
[{"a":3,"c":null}]
[{"a":3,"c":null}]
[{"a":3,"c":null}]
[{"a":3,"c":null}]
[{"a":3,"c":null}]
[{"a":3,"d":null}]
[{"a":3,"d":null}]
[{"a":3,"d":null}]
true
true
true
true
[{"Mixed":1}]
[{"Mixed":1}]
[{"Mixed":1}]
[{"MIXED":1}]
[{"mixed":1}]
[1]
3
0
