--TEST--
A statement of a pool shows the columns of the connection that it was executed on
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.prepare_threshold=1
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
// On each connection the name is the first of its kind; yet one was made before the table had changed, one behind.
require __DIR__ . '/pool.inc';
$other = connect();
$other->exec('DROP TABLE IF EXISTS pool_columns; CREATE TABLE pool_columns AS SELECT 1 AS a');
$pdo = pool([PDO::ATTR_POOL_MAX => 2]);
$one = pid($pdo);
$held = $pdo->prepare('SELECT * FROM pool_columns');
foreach ([0, 1] as $again) {
    $held->execute();
    show($held->fetchAll(PDO::FETCH_ASSOC));
}
$other->exec("ALTER TABLE pool_columns ADD b text DEFAULT 'two'");
pdo_pool_run(function () use ($pdo, $held, $one) {
    show(pid($pdo) !== $one);
    foreach ([0, 1] as $again) {
        $held->execute();
        show($held->fetchAll(PDO::FETCH_ASSOC));
    }
    $held->execute();
    show($held->columnCount(), $held->fetch(PDO::FETCH_NUM));
});
$other->exec('ALTER TABLE pool_columns DROP a');
$held->execute();
show($held->columnCount(), $held->fetchAll(PDO::FETCH_ASSOC));
$other->exec('DROP TABLE pool_columns');
?>
--EXPECT--
[{"a":1}]
[{"a":1}]
true
[{"a":1,"b":"two"}]
[{"a":1,"b":"two"}]
2
[1,"two"]
1
[{"b":"two"}]
