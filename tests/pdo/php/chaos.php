<?php
// Random operations on several connections in turns, each compared with a serial model, while wrecker.php is at work.
// Prints what was done, met and counted, and how its memory grew.
// usage: chaos.php DSN SEED OPERATIONS
declare(strict_types=1);

require __DIR__ . '/Worker.php';

const CONNECTIONS = 8;

function resident(): int
{
    preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found);
    return (int) $found[1];
}

[, $dsn, $seed, $operations] = $argv;
mt_srand((int) $seed);
$tally = new Tally();
$workers = [];
for ($i = 0; $i < CONNECTIONS; $i++) {
    $workers[] = new Worker($i, $dsn, $i % 4 === 3, $tally);
}
$resident = 0;
try {
    for ($i = 0; $i < (int) $operations; $i++) {
        if ($i === intdiv((int) $operations, 2)) {
            $resident = resident();
        }
        $worker = $workers[mt_rand(0, CONNECTIONS - 1)];
        $worker->step();
    }
    $grown = resident() - $resident;
    $did = array_sum($tally->did);
    foreach ($workers as $worker) {
        for ($attempt = 0; ; $attempt++) {
            try {
                $worker->end();
                break;
            } catch (PDOException $error) {
                // Broken by the wrecker once more: what it left is looked at on a new connection.
                $worker->step();
                if ($attempt === 20) {
                    throw $error;
                }
            }
        }
    }
} catch (Wrong $wrong) {
    fwrite(STDERR, "seed $seed, operation $i: {$wrong->getMessage()}, after: {$worker->history()}\n");
    exit(1);
}
echo json_encode([
    'did' => $did,
    'met' => (object) $tally->met,
    'grown_kb' => $grown,
    'stats' => function_exists('pdo_pool_stats') ? pdo_pool_stats() : null,
]), "\n";
