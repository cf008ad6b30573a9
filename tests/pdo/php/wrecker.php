<?php
// For each byte of its standard input kills a connection of the others or changes their table. Says 1 where it did so, 0
// where somebody was in its way.
// usage: wrecker.php DSN SEED
declare(strict_types=1);

[, $dsn, $seed] = $argv;
mt_srand((int) $seed);
$pdo = new PDO($dsn, options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_EMULATE_PREPARES => true]);
// One process has all the other connections: it cannot go on with one while another one waits for this.
$pdo->exec("SET application_name = 'wrecker'; SET statement_timeout = 0; SET lock_timeout = '20ms'");
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
while (fread(STDIN, 1) === '.') {
    $done = 1;
    try {
        $pdo->query($acts[mt_rand(0, count($acts) - 1)])->fetchAll();
    } catch (PDOException $error) {
        // Somebody uses the table; another time.
        if (!in_array($error->errorInfo[0], ['55P03', '40P01'], true)) {
            exit("{$error->getMessage()}\n");
        }
        $done = 0;
    }
    echo "$done\n";
}
