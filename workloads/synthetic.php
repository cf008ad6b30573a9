<?php

// A method that calls itself until it is eight calls deep and then sleeps for 50 microseconds: nearly no work,
// up to ten thousand waits a second.

declare(strict_types=1);

require __DIR__ . '/lib/Budget.php';

final class Nest
{
    private const DEPTH = 8;

    private int $visits = 0;

    public function enter(int $level = 1): int
    {
        if ($level < self::DEPTH) {
            return $this->enter($level + 1) + 1;
        }
        usleep(50);

        return ++$this->visits % 7;
    }
}

$budget = Workload\Budget::fromArguments($argv);
$nest = new Nest();
$sum = 0;
$budget->begin();
while ($budget->more()) {
    $sum = ($sum + $nest->enter()) % 1_000_003;
}
$budget->end($sum);
