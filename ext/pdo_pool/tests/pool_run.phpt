--TEST--
pdo_pool_run() calls tasks in turns, and returns what they return
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
show(pdo_pool_run(), pdo_pool_run(fn() => 1, fn() => null, b: fn() => 'two', a: 'time') > []);
show(array_keys(pdo_pool_run(fn() => 1, b: fn() => 2, a: fn() => 3)));

$log = [];
$turns = function (string $name) use (&$log) {
    foreach ([1, 2, 3] as $turn) {
        $log[] = "$name$turn";
        Fiber::suspend();
    }
    return $name;
};
show(pdo_pool_run(fn() => $turns('a'), fn() => $turns('b')), $log);

$log = [];
echo message(function () use (&$log) {
    pdo_pool_run(
        fn() => throw new LogicException('first'),
        fn() => throw new RuntimeException('second'),
        function () use (&$log) {
            Fiber::suspend();
            $log[] = 'the others end before';
        },
    );
}), "\n";
show($log);
echo message(fn() => pdo_pool_run(fn() => pdo_pool_run())), "\n";
echo message(fn() => pdo_pool_run('no_function')), "\n";
show(pdo_pool_run(fn() => 'again'));
register_shutdown_function(fn() => print("shutdown\n"));
pdo_pool_run(
    function () {
        try {
            Fiber::suspend();
        } finally {
            echo "unwound\n";
        }
    },
    fn() => exit("exit\n"),
);
?>
--EXPECT--
[]
true
[0,"b","a"]
["a","b"]
["a1","b1","a2","b2","a3","b3"]
LogicException: first
["the others end before"]
Error: pdo_pool_run() is running already; give it all tasks at once
TypeError: Fiber::__construct(): Argument #1 ($callback) must be a valid callback, function "no_function" not found or invalid function name
["again"]
exit
unwound
shutdown
