--TEST--
Whoever stands in line in the event loop needs a pipe, for which there may be no room
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
if (!isset($argv[1])) {
    $self = implode(' ', array_map('escapeshellarg', [__FILE__, 'with few files']));
    passthru('ulimit -S -n 64; exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . " $self");
    exit;
}
require __DIR__ . '/pool.inc';
require __DIR__ . '/revolt.inc';
use Revolt\EventLoop;

$pdo = pool([PDO::ATTR_POOL_MAX => 1]);
while (($file = @fopen('/dev/null', 'r'))) {
    $files[] = $file;
}
array_pop($files);
$go = function () use ($pdo) {
    EventLoop::queue(fn() => show(run($pdo, 'SELECT 1')));
    EventLoop::queue(function () use ($pdo) {
        echo message(fn() => show(run($pdo, 'SELECT 2'))), "\n";
    });
    EventLoop::run();
    show(stats($pdo, 'in_use', 'waiting'));
};
$go();
$files = [];
$go();
?>
--EXPECT--
PDOException: SQLSTATE[HY000] [7] pdo_pool has no pipe to wake fibers by (Too many open files); allow the process more open files (ulimit -n)
[[1]]
{"in_use":0,"waiting":0}
[[1]]
[[2]]
nothing
{"in_use":0,"waiting":0}
