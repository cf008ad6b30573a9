--TEST--
Aborted transactions, savepoints, transactions by statements
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
$pdo->exec('CREATE TEMPORARY TABLE tx (a int PRIMARY KEY)');
$insert = fn(int $a) => run($pdo, 'INSERT INTO tx VALUES (?)', [$a]);
$read = fn() => array_merge(...run($pdo, 'SELECT a FROM tx ORDER BY a'));
$insert(1);
$insert(2);
$read();
$read();

// Nothing is prepared, and nothing deallocated, in a transaction that has failed.
$pdo->beginTransaction();
show(fails(fn() => $insert(1)), fails($read), fails(fn() => run($pdo, 'SELECT 42')), fails(fn() => run($pdo, 'SELECT 42')));
$statement = $pdo->prepare('SELECT 43');
show(fails(fn() => $statement->execute()));
unset($statement);
show($pdo->inTransaction());
$pdo->rollBack();
show($read(), run($pdo, 'SELECT 42'));

$pdo->beginTransaction();
$insert(3);
$pdo->exec('SAVEPOINT s');
show(fails(fn() => $insert(3)), fails($read));
$pdo->exec('ROLLBACK TO s');
show($read());
$insert(4);
$pdo->exec('RELEASE s');
$pdo->commit();
show($read());

// A name that was made in a transaction outlives its rollback.
$pdo->beginTransaction();
for ($i = 0; $i < 3; $i++) {
    show(run($pdo, 'SELECT 77'));
}
$pdo->rollBack();
gained();
show(run($pdo, 'SELECT 77'), gained());

foreach (['COMMIT', 'ROLLBACK', 'END'] as $i => $end) {
    for ($j = 0; $j < 3; $j++) {
        $pdo->query('BEGIN');
        $insert(100 + 10 * $i + $j);
        $before = $pdo->inTransaction();
        $pdo->prepare($end)->execute();
        show([$before, $pdo->inTransaction()]);
    }
}
show($read());

// A commit that fails.
$pdo->exec('CREATE TEMPORARY TABLE later (a int REFERENCES tx DEFERRABLE INITIALLY DEFERRED)');
$pdo->beginTransaction();
run($pdo, 'INSERT INTO later VALUES (?)', [9999]);
show(fails(fn() => $pdo->commit()), $pdo->inTransaction(), run($pdo, 'SELECT count(*) FROM later'));
?>
--EXPECT--
"23505"
"25P02"
"25P02"
"25P02"
"25P02"
true
[1,2]
[[42]]
"23505"
"25P02"
[1,2,3]
[1,2,3,4]
[[77]]
[[77]]
[[77]]
[[77]]
{"hits":1}
[true,false]
[true,false]
[true,false]
[true,false]
[true,false]
[true,false]
[true,false]
[true,false]
[true,false]
[1,2,3,4,100,101,102,120,121,122]
"23503"
false
[[0]]
