<?php
// A page of 20 different queries: a connection of its own, or with ?persistent=1 the worker's.
declare(strict_types=1);

parse_str($_SERVER['QUERY_STRING'], $asked);
$pdo = new PDO($_SERVER['PAGE_DSN'], options: [PDO::ATTR_PERSISTENT => isset($asked['persistent'])]);
$sum = 0;
for ($i = 0; $i < 20; $i++) {
    $statement = $pdo->prepare("SELECT ?::int + $i AS r$i");
    $statement->execute([$i]);
    $sum += $statement->fetchColumn();
    unset($statement);
}
echo $sum, "\n";
