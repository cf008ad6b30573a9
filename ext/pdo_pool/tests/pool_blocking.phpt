--TEST--
Fibers without a scheduler block, as without a pool
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
$pdo = pool();
$log = [];
$fibers = [];
foreach ([1, 2, 3, 4] as $i) {
    $fibers[] = new Fiber(function () use ($pdo, $i, &$log) {
        $pdo->beginTransaction();
        $log[] = pid($pdo);
        Fiber::suspend();
        $log[] = pid($pdo);
        $pdo->commit();
    });
}
$fibers[0]->start();
$fibers[1]->start();
$fibers[2]->start();
show(count(array_unique($log)), $pdo->inTransaction(), message(fn() => $fibers[3]->start()));
foreach ([2, 0, 1] as $i) {
    $fibers[$i]->resume();
}
show([$log[2], $log[0], $log[1]] === array_slice($log, 3), stats($pdo, 'open', 'in_use'));

// In a destructor no other fiber can be switched to.
class Late
{
    public ?self $itself = null;

    public function __construct(private PDO $pdo)
    {
    }

    public function __destruct()
    {
        show($this->pdo->query('SELECT 7')->fetchColumn());
    }
}
pdo_pool_run(function () use ($pdo) {
    $late = new Late($pdo);
    $late->itself = $late;
    $late = null;
    gc_collect_cycles();
});
?>
--EXPECT--
3
false
"PDOException: SQLSTATE[HYT00] [7] all 3 connections of the pool are held by other fibers, and nobody can be switched to here: run the fibers by pdo_pool_run() or by Revolt's event loop, or raise PDO::ATTR_POOL_MAX"
true
{"open":3,"in_use":0}
7
