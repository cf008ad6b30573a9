--TEST--
Emulation switched on and off, by connection and by statement
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
$use = fn(array $options = []) => (function () use ($pdo, $options) {
    $statement = $pdo->prepare('SELECT ? AS r, ?::int IS NULL', $options);
    $statement->bindValue(1, true, PDO::PARAM_BOOL);
    $statement->bindValue(2, null);
    $statement->execute();
    return $statement->fetch(PDO::FETCH_NUM);
})();
for ($i = 0; $i < 3; $i++) {
    show($use());
}
gained();
$pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, true);
show($use(), $pdo->getAttribute(PDO::ATTR_EMULATE_PREPARES), gained());
$pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
show($use(), $pdo->getAttribute(PDO::ATTR_EMULATE_PREPARES), gained());
show($use([PDO::ATTR_EMULATE_PREPARES => true]), gained());
show($use([PDO::ATTR_EMULATE_PREPARES => false]), gained());
show($use([PDO::ATTR_CURSOR => PDO::CURSOR_FWDONLY]), gained());

// Who asks for no prepared statements gets none.
$pdo->setAttribute(PDO::PGSQL_ATTR_DISABLE_PREPARES, true);
show($use(), $use(), $pdo->getAttribute(PDO::PGSQL_ATTR_DISABLE_PREPARES), gained());
show($use([PDO::PGSQL_ATTR_DISABLE_PREPARES => false]), gained());
$pdo->setAttribute(PDO::PGSQL_ATTR_DISABLE_PREPARES, false);
show($use([PDO::PGSQL_ATTR_DISABLE_PREPARES => true]), gained(), $use(), gained());
?>
--EXPECT--
["t",true]
["t",true]
["t",true]
["t",true]
true
[]
["t",true]
false
{"hits":1}
["t",true]
[]
["t",true]
{"hits":1}
["t",true]
{"hits":1}
["t",true]
["t",true]
true
[]
["t",true]
{"hits":1}
["t",true]
[]
["t",true]
{"hits":1}
