--TEST--
A statement that is executed again after its columns changed
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
foreach ([1, 2, 3] as $threshold) {
    ini_set('pdo_pool.prepare_threshold', (string) $threshold);
    $pdo = connect();
    $pdo->exec('CREATE TEMPORARY TABLE changing AS SELECT 1 AS a');
    $statement = $pdo->prepare('SELECT * FROM changing');
    $bound = null;
    foreach ([
        'SELECT 1',
        'ALTER TABLE changing ADD b text DEFAULT \'x\', ADD c int DEFAULT 3',
        'ALTER TABLE changing ALTER a TYPE text',
        'ALTER TABLE changing RENAME a TO A2',
        'ALTER TABLE changing DROP b',
        'SELECT 1',
    ] as $change) {
        $pdo->exec($change);
        $statement->execute();
        show($statement->columnCount(), $statement->fetch(PDO::FETCH_ASSOC));
    }
    $statement->bindColumn('c', $bound);
    $pdo->exec('ALTER TABLE changing DROP a2, ADD e int');
    $statement->execute();
    $statement->fetch(PDO::FETCH_BOUND);
    show($bound);
}
// Not only queries: what a cursor of SQL fetches, emulated or not.
foreach ([false, true] as $emulate) {
    $pdo = connect([PDO::ATTR_EMULATE_PREPARES => $emulate]);
    $fetch = $pdo->prepare('FETCH ALL FROM c');
    foreach (['SELECT 1 AS a', "SELECT 2 AS a, 'x' AS b", 'SELECT 3 AS z'] as $sql) {
        $pdo->beginTransaction();
        $pdo->exec("DECLARE c CURSOR FOR $sql");
        $fetch->execute();
        show($fetch->fetchAll(PDO::FETCH_ASSOC));
        $pdo->commit();
    }
}
?>
--EXPECT--
1
{"a":1}
3
{"a":1,"b":"x","c":3}
3
{"a":"1","b":"x","c":3}
3
{"a2":"1","b":"x","c":3}
2
{"a2":"1","c":3}
2
{"a2":"1","c":3}
"3"
1
{"a":1}
3
{"a":1,"b":"x","c":3}
3
{"a":"1","b":"x","c":3}
3
{"a2":"1","b":"x","c":3}
2
{"a2":"1","c":3}
2
{"a2":"1","c":3}
"3"
1
{"a":1}
3
{"a":1,"b":"x","c":3}
3
{"a":"1","b":"x","c":3}
3
{"a2":"1","b":"x","c":3}
2
{"a2":"1","c":3}
2
{"a2":"1","c":3}
"3"
[{"a":1}]
[{"a":2,"b":"x"}]
[{"z":3}]
[{"a":1}]
[{"a":2,"b":"x"}]
[{"z":3}]
