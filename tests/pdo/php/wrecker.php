<?php
// Kills connections of the others and changes their table, until its standard input ends.
// usage: wrecker.php DSN SEED
declare(strict_types=1);

[, $dsn, $seed] = $argv;
mt_srand((int) $seed);
$pdo = new PDO($dsn, options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_EMULATE_PREPARES => true]);
// One process has all the other connections: it cannot go on with one while another one waits for this.
$pdo->exec("SET lock_timeout = '20ms'");
$acts = [
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'chaos' ORDER BY random() LIMIT 1",
    'ALTER TABLE thing ALTER COLUMN v TYPE bigint USING v::bigint',
    'ALTER TABLE thing ALTER COLUMN v TYPE text USING v::text',
    'ALTER TABLE thing ALTER COLUMN v TYPE int USING v::int',
    'ALTER TABLE thing ADD COLUMN IF NOT EXISTS w int',
    'ALTER TABLE thing DROP COLUMN IF EXISTS w',
    'CREATE INDEX IF NOT EXISTS thing_v ON thing (v)',
    'DROP INDEX IF EXISTS thing_v',
    'ANALYZE thing',
];
$done = 0;
echo "ready\n";
stream_set_blocking(STDIN, false);
for (;;) {
    $readable = [STDIN];
    $none = null;
    // Its pace; input that ends is seen at once.
    if (stream_select($readable, $none, $none, 0, mt_rand(2_000, 20_000)) === 1) {
        break;
    }
    try {
        $pdo->query($acts[mt_rand(0, count($acts) - 1)])->fetchAll();
        $done++;
    } catch (PDOException $error) {
        // Somebody uses the table; another time.
        if (!in_array($error->errorInfo[0], ['55P03', '40P01'], true)) {
            exit("done with {$error->getMessage()}\n");
        }
    }
}
echo "done $done\n";
