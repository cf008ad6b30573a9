--TEST--
A name to be given up that the server has lost hides no other
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.stmt_cache_size=1
pdo_pool.prepare_threshold=1
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
for ($i = 0; $i < 10; $i++) {
    run($pdo, "SELECT $i");
}
// A function does it, so that we do not see it.
$name = ask($pdo, "SELECT name FROM pg_prepared_statements WHERE statement = 'SELECT 3'")[0];
$pdo->exec("DO \$\$ BEGIN EXECUTE 'DEALLOCATE \"$name\"'; END \$\$");
for ($i = 10; $i < 30; $i++) {
    run($pdo, "SELECT $i");
}
$left = prepared($pdo);
show(count($left), end($left));
?>
--EXPECT--
14
"SELECT 29"
