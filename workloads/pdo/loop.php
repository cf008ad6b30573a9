<?php
// Prepare, execute, fetch, let go: over and over, as applications do. Prints the nanoseconds of one iteration.
// usage: loop.php DSN sum|join ITERATIONS
declare(strict_types=1);

const TEXTS = [
    // The smallest query there is: what is measured is everything around it.
    'sum' => 'SELECT ?::int + ?::int AS r',
    // Six tables of the catalogue, a few rows of each: most of its time goes into parsing and planning.
    'join' => 'SELECT c.relname, n.nspname, a.attname, t.typname, am.amname, d.description
        FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid
        JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_am am ON am.oid = c.relam
        LEFT JOIN pg_description d ON d.objoid = c.oid AND d.objsubid = a.attnum
        WHERE c.oid = ?::oid AND a.attnum = ?::int2',
];

[, $dsn, $kind, $iterations] = $argv;
$sql = TEXTS[$kind];
// pg_class itself, and its columns.
$given = $kind === 'sum' ? static fn (int $i): array => [$i, 1] : static fn (int $i): array => [1259, 1 + $i % 20];

$pdo = new PDO($dsn, options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$ask = static function (int $from, int $to) use ($pdo, $sql, $given): int {
    $start = hrtime(true);
    for ($i = $from; $i < $to; $i++) {
        $statement = $pdo->prepare($sql);
        $statement->execute($given($i));
        $row = $statement->fetch();
        unset($statement);
    }
    if ($row === false) {
        throw new LogicException('no row');
    }
    return hrtime(true) - $start;
};
// As many as PostgreSQL needs to settle on a plan.
$ask(0, 20);
echo $ask(20, 20 + (int) $iterations) / (int) $iterations, "\n";
