<?php
// Several waits on the server at once, as far as PDO lets them be. Prints the seconds that they took together.
// usage: fibers.php DSN FIBERS SECONDS CONNECTIONS
// With 0 connections there is no pool, and no need of the extension: PDO as it is, whose fibers wait one after another.
declare(strict_types=1);

[, $dsn, $fibers, $seconds, $connections] = $argv;
$options = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION];
if ($connections > 0) {
    $options += [PDO::ATTR_POOL_ENABLED => true, PDO::ATTR_POOL_MAX => (int) $connections];
}
$pdo = new PDO($dsn, options: $options);
$wait = static function (int $number) use ($pdo, $seconds): int {
    $statement = $pdo->prepare('SELECT ?::int FROM pg_sleep(?)');
    $statement->execute([$number, $seconds]);
    return (int) $statement->fetchColumn();
};
$tasks = array_map(static fn (int $number): Closure => static fn (): int => $wait($number), range(1, (int) $fibers));

// Whoever runs fibers without a pool behind them.
$inTurns = static function (Closure ...$tasks): array {
    $fibers = array_map(static fn (Closure $task): Fiber => new Fiber($task), $tasks);
    array_map(static fn (Fiber $fiber): mixed => $fiber->start(), $fibers);
    return array_map(static fn (Fiber $fiber): int => $fiber->getReturn(), $fibers);
};

$start = hrtime(true);
$found = $connections > 0 ? pdo_pool_run(...$tasks) : $inTurns(...$tasks);
$took = hrtime(true) - $start;
if ($found !== range(1, (int) $fibers)) {
    throw new LogicException('a fiber was answered wrongly: ' . json_encode($found));
}
echo $took / 1e9, "\n";
