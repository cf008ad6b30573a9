--TEST--
The extension is there, says so, and has its settings
--EXTENSIONS--
pdo
pdo_pool
--FILE--
<?php
foreach (ini_get_all('pdo_pool', false) as $name => $value) {
    echo "$name=$value\n";
}
var_dump(pdo_pool_stats());
ob_start();
phpinfo(INFO_MODULES);
preg_match('/^pdo_pool\n\n(.*?)\n\n/ms', ob_get_clean(), $info);
echo $info[1], "\n";
try {
    pdo_pool_stats(new ArrayObject());
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}
var_dump(ini_set('pdo_pool.stmt_cache_size', '-1'));
?>
--EXPECT--
pdo_pool.log=0
pdo_pool.pooler=auto
pdo_pool.prepare_threshold=2
pdo_pool.reuse_statements=0
pdo_pool.stmt_cache_size=256
array(9) {
  ["hits"]=>
  int(0)
  ["misses"]=>
  int(0)
  ["unnamed"]=>
  int(0)
  ["evictions"]=>
  int(0)
  ["reprepares"]=>
  int(0)
  ["retries"]=>
  int(0)
  ["reused"]=>
  int(0)
  ["connections"]=>
  int(0)
  ["poolers"]=>
  int(0)
}
Version => 0.1.0
hits => 0
misses => 0
unnamed => 0
evictions => 0
reprepares => 0
retries => 0
reused => 0
connections => 0
poolers => 0
pdo_pool_stats(): Argument #1 ($pdo) must be of type ?PDO, ArrayObject given
bool(false)
