<?php
// Random operations on several connections in turns, each compared with a serial model, while wrecker.php is at work.
// Prints what was done, met and counted, and how its memory grew.
// usage: chaos.php DSN SEED OPERATIONS
declare(strict_types=1);

require __DIR__ . '/Worker.php';

const CONNECTIONS = 8;

[, $dsn, $seed, $operations] = $argv;
mt_srand((int) $seed);
$connect = static fn (int $number): PDO => new PDO($dsn, options: [
    PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
    PDO::ATTR_PERSISTENT => $number % 4 === 3 ? "worker$number" : false,
]);
$wrecker = new Wrecker($dsn, (int) $seed);
$tally = new Tally((int) $operations, $wrecker);
$workers = [];
for ($i = 0; $i < CONNECTIONS; $i++) {
    $workers[] = new Worker($i, (int) $seed, $tally, $connect);
}
try {
    for ($i = 0; $i < (int) $operations; $i++) {
        $worker = $workers[mt_rand(0, CONNECTIONS - 1)];
        $worker->step();
    }
    $told = $tally->told();
    foreach ($workers as $worker) {
        $worker->settle();
    }
    $acts = $wrecker->end();
} catch (Wrong $wrong) {
    fwrite(STDERR, "seed $seed, operation $i: {$wrong->getMessage()}\n");
    exit(1);
}
echo json_encode($told + ['acts' => $acts, 'stats' => function_exists('pdo_pool_stats') ? pdo_pool_stats() : null]), "\n";
