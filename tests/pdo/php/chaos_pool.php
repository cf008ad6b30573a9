<?php
// Random operations of many fibers on the few connections of a pool, each compared with a serial model, while wrecker.php
// is at work. Prints what was done, met and counted, how its memory grew, and what the pool holds at the end.
// usage: chaos_pool.php DSN SEED OPERATIONS
declare(strict_types=1);

require __DIR__ . '/PooledWorker.php';

const FIBERS = 64;
const CONNECTIONS = 8;

[, $dsn, $seed, $operations] = $argv;
$pdo = new PDO($dsn, options: [
    PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
    PDO::ATTR_POOL_ENABLED => true,
    PDO::ATTR_POOL_MAX => CONNECTIONS,
    PDO::ATTR_POOL_ACQUIRE_TIMEOUT => 300,
    PDO::ATTR_POOL_RESET => $seed % 2 === 1,
]);
$wrecker = new Wrecker($dsn, (int) $seed);
$tally = new Tally((int) $operations, $wrecker);
$workers = array_map(
    static fn (int $number): Worker => new PooledWorker($number, (int) $seed, $tally, static fn (): PDO => $pdo),
    range(0, FIBERS - 1),
);
$work = static function (int $number) use ($workers, $pdo, $operations): void {
    for ($i = intdiv((int) $operations - 1 - $number, FIBERS); $i >= 0; $i--) {
        $workers[$number]->step();
    }
    $workers[$number]->settle();
    if ($number % 2) {
        try {
            // Forgotten: nobody may ever see it.
            $pdo->beginTransaction();
            $pdo->exec("DELETE FROM thing WHERE owner = $number");
        } catch (PDOException) {
            // The wrecker was at it.
        }
    }
};
try {
    pdo_pool_run(...array_map(static fn (int $number): Closure => static fn () => $work($number), range(0, FIBERS - 1)));
    $told = $tally->told();
    foreach ($workers as $worker) {
        $worker->settle();
    }
    $acts = $wrecker->end();
} catch (Wrong $wrong) {
    fwrite(STDERR, "seed $seed: {$wrong->getMessage()}\n");
    exit(1);
}
echo json_encode($told + ['acts' => $acts, 'stats' => pdo_pool_stats(), 'pool' => pdo_pool_stats($pdo)]), "\n";
