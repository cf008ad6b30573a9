--TEST--
64 fibers on 8 connections that are killed at random, by an event loop
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
require __DIR__ . '/revolt.inc';
use Revolt\EventLoop;

foreach (explode(',', getenv('PDO_POOL_CHAOS_SEED') ?: '3') as $seed) {
    $found = chaos((int) $seed, (int) (getenv('PDO_POOL_CHAOS_OPERATIONS') ?: 3_000), function (array $tasks) {
        foreach ($tasks as $task) { // PHP 8.6.0RC3 does not find a class of another namespace in array_map(EventLoop::queue(...), …)
            EventLoop::queue($task);
        }
        EventLoop::run();
    }, function () {
        $suspension = EventLoop::getSuspension();
        EventLoop::queue($suspension->resume(...));
        $suspension->suspend();
    });
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
{"seed":3,"tested":true,"wrong":0,"strange":[],"in_use":0,"waiting":0,"too_many":0,"leaked":0}
