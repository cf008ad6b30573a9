--TEST--
PDO::connect() and Pdo\Pgsql
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php
require __DIR__ . '/skip.inc';
if (PHP_VERSION_ID < 80400) {
    die('skip since PHP 8.4');
}
?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
class Mine extends Pdo\Pgsql
{
}
foreach ([
    PDO::connect(getenv('PDO_POOL_TEST_DSN')),
    Pdo\Pgsql::connect(getenv('PDO_POOL_TEST_DSN')),
    new Pdo\Pgsql(getenv('PDO_POOL_TEST_DSN')),
    new Mine(getenv('PDO_POOL_TEST_DSN')),
    Mine::connect(getenv('PDO_POOL_TEST_DSN')),
] as $pdo) {
    for ($i = 0; $i < 3; $i++) {
        run($pdo, 'SELECT ?::float8', [1.5]);
    }
    show([get_class($pdo), pdo_pool_stats($pdo)['named'], run($pdo, 'SELECT ?::float8', [$i])]);
}
// A message in which the driver puts the name of its own.
$statement = $pdo->prepare('SELECT 1');
$pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_SILENT);
if (defined('Pdo\Pgsql::ATTR_RESULT_MEMORY_SIZE')) {
    show($statement->getAttribute(Pdo\Pgsql::ATTR_RESULT_MEMORY_SIZE));
    $statement->execute();
    show($statement->getAttribute(Pdo\Pgsql::ATTR_RESULT_MEMORY_SIZE) > 0);
} else {
    show(null, true);
}
?>
--EXPECT--
["Pdo\\Pgsql",1,[[3]]]
["Pdo\\Pgsql",1,[[3]]]
["Pdo\\Pgsql",1,[[3]]]
["Mine",1,[[3]]]
["Mine",1,[[3]]]
null
true
