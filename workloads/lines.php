<?php

// A program whose every line is known: for each function, the lines on which it can be found as the innermost
// frame.
//
//     php lines.php              for ever (arguments as in lib/Budget.php)
//     php lines.php --list       `hot`, `fair` or `brief`, function, line, separated by tabs; and for each
//                                function `range`, function, its first and its last line
//
// The list is made from the marks in this file. `// hot` marks a line on which its function spends
// practically all of its time. `// brief` marks one that runs once for millions of hot instructions and stores
// its place in the frame: a profiler that takes the stored place for the current one shows the brief line
// though the function left it long ago, so a sample there counts as wrong. `// fair` marks a line of a
// function that is called often and returns at once: each of its marked lines is right.
// Parameters are received on the line that declares the function, since PHP 8.5 on their own (`since 8.5`): the
// function's line is right where it has some, and wrong where it has none. There, a first line that is shown in
// place of the current one is seen, as it is in functions with a hot line.

declare(strict_types=1);

namespace Lines;

require __DIR__ . '/lib/Budget.php';

function arithmetic( // brief
    int $rounds // brief since 8.5
): int {
    $seed = \strlen(\str_repeat('x', 3)); // brief

    for ($i = 0; $i < $rounds; $i++) { $seed = ($seed * 31 + $i) & 0xffff; } // hot

    return $seed; // brief
}

function afterCall( // brief
    int $rounds // brief since 8.5
): int {
    $sum = \abs(-3); // brief
    $step = \max(1, $sum % 2); // brief

    while ($rounds-- > 0) { $sum ^= $rounds; $sum += $step; } // hot

    return $sum; // brief
}

final class Counter
{
    private int $value = 0;

    public function count( // brief
        int $rounds // brief since 8.5
    ): int {
        $this->value = 0; // brief

        do { $rounds -= 1; $rounds = $rounds ^ 0; } while ($rounds > 0); // hot

        return $this->value; // brief
    }

    public function pulse(): int
    {

        $before = $this->value; // fair

        $this->value = $before ^ 1; // fair

        return $before; // fair
    }

    public function tick( // fair
        int $by // fair since 8.5
    ): int {

        $this->value += $by; // fair

        return $this->value; // fair
    }

    public static function twice( // fair
        int $x // fair since 8.5
    ): int {

        $y = $x + $x; // fair
        $z = $y & 0xff; // fair

        return $z; // fair
    }
}

function small( // fair
    int $x // fair since 8.5
): int {

    return $x + 1; // fair
}

function branchy( // fair
    int $x // fair since 8.5
): int {

    if ($x % 3 === 0) { // fair

        $x += 7; // fair

    } elseif ($x % 3 === 1) { // fair

        $x = Counter::twice($x); // fair

    }

    return small($x); // fair
}

function often( // fair
    Counter $counter, // fair since 8.5
    int $rounds // fair since 8.5
): int {
    $sum = 0; // fair

    for ($i = 0; $i < $rounds; $i++) { // fair

        $sum += branchy($i); // fair

        $sum += $counter->tick(1); // fair

        $sum += $counter->pulse(); // fair

        $sum &= 0xfffff; // fair

    }

    return $sum; // fair
}

/** @return list<array{string, string, int, 3?: int}> */
function known(): array
{
    $class = '';
    $function = '';
    $known = [];
    $first = 0;
    $indent = '';
    foreach (\file(__FILE__) ?: [] as $index => $line) {
        $number = $index + 1;
        if (\preg_match('/^final class (\w+)/', $line, $match)) {
            $class = $match[1] . '::';
        } elseif (\preg_match('/^( *)(?:public )?(?:static )?function (\w+)/', $line, $match)) {
            [$indent, $first] = [$match[1], $number];
            $function = __NAMESPACE__ . '\\' . ($indent === '' ? '' : $class) . $match[2];
        } elseif (\preg_match('/^\$budget->begin/', $line)) {
            $function = '<main>';
            $known[] = ['range', $function, 1, $number + 100];
        } elseif ($function !== '' && \rtrim($line) === "$indent}" && $function !== '<main>') {
            $known[] = ['range', $function, $first, $number];
            $function = '';
        }
        $marked = \preg_match('~[;{},(\w] // (hot|brief|fair)(?: since ([\d.]+))?$~', $line, $match);
        // Since PHP 8.5 what takes a parameter stands on the parameter's line, and no more on the function's.
        if ($marked && \version_compare(PHP_VERSION, $match[2] ?? '0', '>=')) {
            $known[] = [$match[1], $function, $number];
        }
    }

    return $known;
}

if (($argv[1] ?? '') === '--list') {
    foreach (known() as $entry) {
        echo implode("\t", $entry), "\n";
    }
    exit(0);
}

$budget = \Workload\Budget::fromArguments($argv);
$counter = new Counter();
$sum = 0;
$budget->begin();
while ($budget->more()) { // brief
    $sum += arithmetic(3_000_000); // brief
    $sum += afterCall(3_000_000); // brief
    $sum += $counter->count(3_000_000); // brief
    $sum += often($counter, 300_000); // brief
    $sum %= 1_000_003; // brief
}
$budget->end($sum);
