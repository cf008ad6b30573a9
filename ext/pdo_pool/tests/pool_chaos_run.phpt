--TEST--
64 fibers on 8 connections that are killed at random
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
// PDO_POOL_CHAOS_SEED=n and PDO_POOL_CHAOS_OPERATIONS=n repeat one, or do more.
require __DIR__ . '/chaos.inc';
foreach (explode(',', getenv('PDO_POOL_CHAOS_SEED') ?: '1,2') as $seed) {
    $found = chaos((int) $seed, (int) (getenv('PDO_POOL_CHAOS_OPERATIONS') ?: 3_000), function (array $tasks) {
        pdo_pool_run(...$tasks);
    }, Fiber::suspend(...));
    // With none killed and no errors it would have tested nothing.
    $tested = $found['killed'] > 5 && $found['errors'] > 0;
    if ($tested) {
        unset($found['operations'], $found['killed'], $found['errors']);
    }
    show(['seed' => (int) $seed, 'tested' => $tested] + $found);
}
?>
--EXPECTF--
%r\.+%r
{"seed":1,"tested":true,"wrong":0,"strange":[],"in_use":0,"waiting":0,"too_many":0,"leaked":0}
%r\.+%r
{"seed":2,"tested":true,"wrong":0,"strange":[],"in_use":0,"waiting":0,"too_many":0,"leaked":0}
