--TEST--
Text is quoted by the rules of a connection that there is
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
// Without a connection, libpq takes backslashes for escapes. The first fiber's connection is too old, and is being replaced.
$pdo = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_MAX_LIFETIME => 0.05]);
usleep(60_000);
show(pdo_pool_run(
    fn() => run($pdo, 'SELECT 1'),
    fn() => $pdo->quote('a\b'),
    function () use ($pdo) {
        $emulated = $pdo->prepare('SELECT ?', [PDO::ATTR_EMULATE_PREPARES => true]);
        $emulated->execute(['c\d']);
        return $emulated->fetchColumn();
    },
), stats($pdo, 'waits'));

// Where none can be had, there is no quoting either.
$pdo = pool([PDO::ATTR_POOL_MAX => 1, PDO::ATTR_POOL_MAX_LIFETIME => 0.05, PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 0]);
usleep(60_000);
show(pdo_pool_run(
    fn() => run($pdo, 'SELECT 1'),
    fn() => fails(fn() => $pdo->quote('a\b')),
));
?>
--EXPECT--
[[[1]],"'a\\b'","c\\d"]
{"waits":2}
[[[1]],"HYT00"]
