--TEST--
Large objects, bytea, and streams that end with their transaction
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php
require __DIR__ . "/skip.inc";
if (PHP_VERSION_ID < 80200) {
    die('skip PHP 8.1 itself leaves such streams open');
}
?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
$pdo->exec('CREATE TEMPORARY TABLE lobs (id int, lo oid, data bytea)');
$binary = implode('', array_map('chr', range(0, 255)));
for ($i = 0; $i < 3; $i++) {
    $pdo->beginTransaction();
    $oid = $pdo->pgsqlLOBCreate();
    $stream = $pdo->pgsqlLOBOpen($oid, 'w');
    fwrite($stream, "large $i");
    fclose($stream);
    $memory = fopen('php://memory', 'r+');
    fwrite($memory, $binary);
    rewind($memory);
    $insert = $pdo->prepare('INSERT INTO lobs VALUES (?, ?, ?)');
    $insert->bindValue(1, $i, PDO::PARAM_INT);
    $insert->bindValue(2, $oid);
    $insert->bindValue(3, $memory, PDO::PARAM_LOB);
    $insert->execute();
    $pdo->commit();

    $pdo->beginTransaction();
    $select = $pdo->prepare('SELECT lo, data FROM lobs WHERE id = ?');
    $select->execute([$i]);
    $select->bindColumn(1, $lo, PDO::PARAM_LOB);
    $select->bindColumn(2, $data, PDO::PARAM_LOB);
    $select->fetch(PDO::FETCH_BOUND);
    show(stream_get_contents($lo), stream_get_contents($data) === $binary);
    // By a statement, not by the method.
    $pdo->prepare('COMMIT')->execute();
    show(is_resource($lo), is_resource($data));
}
show(pdo_pool_stats($pdo)['named']);
?>
--EXPECT--
"large 0"
true
false
true
"large 1"
true
false
true
"large 2"
true
false
true
2
