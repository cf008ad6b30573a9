--TEST--
The options of a pool
--EXTENSIONS--
pdo
pdo_pgsql
pdo_sqlite
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
$names = ['ENABLED', 'MIN', 'MAX', 'STMT_CACHE_SIZE', 'ACQUIRE_TIMEOUT', 'IDLE_TIMEOUT', 'MAX_LIFETIME', 'HEALTH_CHECK',
    'RESET'];
$attribute = fn(string $name) => constant("PDO::ATTR_POOL_$name");
$pdo = pool([PDO::ATTR_POOL_MIN => 2, PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 1.5, PDO::ATTR_POOL_HEALTH_CHECK => false]);
show(array_combine($names, array_map(fn($name) => $pdo->getAttribute($attribute($name)), $names)));
show(stats($pdo, 'open', 'min', 'max'), $pdo->setAttribute(PDO::ATTR_POOL_MAX, 5));
show($pdo->getAttribute(PDO::ATTR_DRIVER_NAME), $pdo->getAttribute(PDO::ATTR_CONNECTION_STATUS));

echo message(fn() => pool([PDO::ATTR_POOL_MAX => 0])), "\n";
echo message(fn() => pool([PDO::ATTR_POOL_MIN => 4])), "\n";
echo message(fn() => pool([PDO::ATTR_POOL_MIN => '1'])), "\n";
echo message(fn() => pool([PDO::ATTR_POOL_IDLE_TIMEOUT => -1])), "\n";
echo message(fn() => pool([PDO::ATTR_POOL_MAX_LIFETIME => NAN])), "\n";
echo message(fn() => pool([PDO::ATTR_PERSISTENT => true])), "\n";
echo message(fn() => new PDO('sqlite::memory:', null, null, [PDO::ATTR_POOL_ENABLED => true])), "\n";
echo message(fn() => $pdo->__construct(getenv('PDO_POOL_TEST_DSN'))), "\n";
echo message(fn() => $pdo->prepare('SELECT 1', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL])), "\n";

// Off: as ever.
$pdo = connect([PDO::ATTR_POOL_ENABLED => false, PDO::ATTR_POOL_MAX => 0]);
show(pdo_pool_stats($pdo)['cached'], fails(fn() => $pdo->getAttribute(PDO::ATTR_POOL_MAX)), run($pdo, 'SELECT 1'));
?>
--EXPECT--
{"ENABLED":true,"MIN":2,"MAX":3,"STMT_CACHE_SIZE":256,"ACQUIRE_TIMEOUT":1.5,"IDLE_TIMEOUT":0,"MAX_LIFETIME":0,"HEALTH_CHECK":false,"RESET":false}
{"min":2,"max":3,"open":2}
false
"pgsql"
"Connection OK; waiting to send."
ValueError: PDO::ATTR_POOL_MAX must be an int from 1 to 1024
ValueError: PDO::ATTR_POOL_MIN must be an int from 0 to 3
ValueError: PDO::ATTR_POOL_MIN must be an int from 0 to 3
ValueError: PDO::ATTR_POOL_IDLE_TIMEOUT must be a number of seconds, 0 or more
ValueError: PDO::ATTR_POOL_MAX_LIFETIME must be a number of seconds, 0 or more
PDOException: SQLSTATE[IM001] [7] PDO::ATTR_POOL_ENABLED and PDO::ATTR_PERSISTENT cannot be combined; leave one out
PDOException: SQLSTATE[IM001] [7] PDO::ATTR_POOL_ENABLED is for connections of pgsql; leave it out for others
Error: a PDO object with a pool cannot be constructed again
PDOException: SQLSTATE[IM001]: Driver does not support this function: 7 PDO::CURSOR_SCROLL is not available on a pool; DECLARE the cursor in a transaction, or use a PDO object without PDO::ATTR_POOL_ENABLED
true
"IM001"
[[1]]
