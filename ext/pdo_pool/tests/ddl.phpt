--TEST--
A table that changes on the same connection, in and out of transactions
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
$pdo->exec('CREATE TEMPORARY TABLE ddl (a int)');
$pdo->exec('INSERT INTO ddl VALUES (1)');
$read = fn() => run($pdo, 'SELECT * FROM ddl', null, PDO::FETCH_ASSOC);
for ($i = 0; $i < 3; $i++) {
    show($read());
}
gained();
$pdo->exec('ALTER TABLE ddl ADD b text DEFAULT \'x\'');
show($read(), $read(), gained());

// In a transaction a stale name would have ended it.
$pdo->beginTransaction();
$pdo->query('ALTER TABLE ddl ALTER a TYPE text');
show($read(), $read(), $read(), gained());
$pdo->rollBack();

// What the rollback took back.
$pdo->beginTransaction();
show($read(), $read());
$pdo->exec('SAVEPOINT s');
$pdo->exec('SELECT 1; ALTER TABLE ddl DROP b; SELECT \'; quoted\'');
show($read(), $read());
$pdo->exec('ROLLBACK TO s');
show($read(), $read());
$pdo->commit();

// By a statement that PDO emulates, by one with a comment, by what hides in a function and is out of a transaction.
$pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, true);
$pdo->prepare('/* a /* nested */ comment */ ALTER TABLE ddl RENAME b TO c')->execute();
$pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
$pdo->beginTransaction();
show($read());
$pdo->commit();
gained();
show($read());
$pdo->exec('CREATE FUNCTION pg_temp.hidden() RETURNS int LANGUAGE plpgsql AS $$ BEGIN ALTER TABLE ddl ADD d int; RETURN 1; END $$');
run($pdo, 'SELECT pg_temp.hidden()');
show($read(), gained());
?>
--EXPECT--
[{"a":1}]
[{"a":1}]
[{"a":1}]
[{"a":1,"b":"x"}]
[{"a":1,"b":"x"}]
{"misses":1,"unnamed":1,"reprepares":1,"retries":1}
[{"a":"1","b":"x"}]
[{"a":"1","b":"x"}]
[{"a":"1","b":"x"}]
{"hits":1,"misses":1,"unnamed":1,"reprepares":1}
[{"a":1,"b":"x"}]
[{"a":1,"b":"x"}]
[{"a":1}]
[{"a":1}]
[{"a":1,"b":"x"}]
[{"a":1,"b":"x"}]
[{"a":1,"c":"x"}]
[{"a":1,"c":"x"}]
[{"a":1,"c":"x","d":null}]
{"misses":1,"unnamed":2,"reprepares":1,"retries":1}
