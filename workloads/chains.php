<?php

// A program with a known set of call chains and no other. It changes between them as fast as it can and never
// waits, so that a profiler that reads a stack while it moves shows a chain that cannot exist.
//
//     php chains.php              for ever (arguments as in lib/Budget.php)
//     php chains.php --list       every chain that can be seen, outermost frame first, joined by `;`
//
// Each branch has functions of its own, and frames of a size of its own, so that frames of two branches that
// lie at the same address are never mistaken for each other. Chains end where a sample can find the program:
// each prefix of a chain, down to `<main>` alone, is a chain too. Closures are called `{closure}` here,
// however a profiler tells them apart.

declare(strict_types=1);

namespace Truth;

require __DIR__ . '/lib/Budget.php';

/** The longest chains of each branch. */
const BRANCHES = [
    // Plain functions with an internal function at the end.
    '<main>;Truth\alpha;Truth\alphaInner;Truth\alphaLeaf;md5',
    '<main>;Truth\alpha;Truth\alphaInner;Truth\alphaLeaf;ord',
    // Frames of another size, deeper.
    '<main>;Truth\beta;Truth\betaOne;Truth\betaTwo;Truth\betaThree;Truth\betaFour;crc32',
    // Methods, static and not.
    '<main>;Truth\Gamma::run;Truth\Gamma::step;Truth\Gamma::finish;strrev',
    '<main>;Truth\Gamma::run;Truth\Gamma::step;Truth\Gamma::finish;ord',
    // An internal function in the middle: it calls back.
    '<main>;Truth\delta;array_map;{closure};Truth\deltaLeaf',
    '<main>;Truth\epsilon;usort;Truth\epsilonOrder',
    '<main>;Truth\zeta;call_user_func_array;Truth\zetaTarget;ucfirst',
    '<main>;Truth\zeta;call_user_func_array;Truth\zetaTarget;ord',
    // Ten frames of one function.
    '<main>;Truth\eta;Truth\eta;Truth\eta;Truth\eta;Truth\eta;Truth\eta;Truth\eta;Truth\eta;Truth\eta;Truth\eta;Truth\etaLeaf',
    // A generator, which lives outside of the VM stack.
    '<main>;Truth\theta;Truth\thetaValues;Truth\thetaLeaf',
    // What the loop itself calls.
    '<main>;Workload\Budget::more;hrtime',
];

/** @return list<string> */
function allowed(): array
{
    $chains = [];
    foreach (BRANCHES as $branch) {
        $frames = explode(';', $branch);
        for ($depth = 1; $depth <= count($frames); $depth++) {
            $chains[implode(';', array_slice($frames, 0, $depth))] = true;
        }
    }
    ksort($chains);

    return array_keys($chains);
}

function alpha(int $x): int
{
    return alphaInner($x) + 1;
}

function alphaInner(int $x): int
{
    return alphaLeaf($x) ^ 5;
}

function alphaLeaf(int $x): int
{
    $text = \md5("alpha $x");

    return \ord($text[0]) + $x;
}

function beta(int $a, int $b, int $c): int
{
    $d = $a + $b;
    $e = $b + $c;

    return betaOne($d, $e, $a, $b, $c) + $d - $e;
}

function betaOne(int $a, int $b, int $c, int $d, int $e): int
{
    $f = $a ^ $b ^ $c;

    return betaTwo($f, $d) + $e;
}

function betaTwo(int $a, int $b): int
{
    return betaThree($a, $b, $a + $b, $a - $b, $a ^ $b, 1);
}

function betaThree(int $a, int $b, int $c, int $d, int $e, int $f): int
{
    return betaFour($a + $b + $c) + $d + $e + $f;
}

function betaFour(int $a): int
{
    return \crc32("beta $a") & 0xff;
}

final class Gamma
{
    private int $state = 1;

    public function run(int $x): int
    {
        $this->state = ($this->state * 31 + $x) % 65_521;

        return $this->step($x, $this->state);
    }

    private function step(int $x, int $y): int
    {
        $z = $x + $y;

        return self::finish("gamma $z") + $z;
    }

    private static function finish(string $text): int
    {
        return \ord(\strrev($text)[0]);
    }
}

function delta(int $x): int
{
    $doubled = \array_map(static fn (int $y): int => deltaLeaf($y, $x), [1, 2, 3]);

    return $doubled[0] + $doubled[2];
}

function deltaLeaf(int $y, int $x): int
{
    return ($y * $x + 17) % 251;
}

function epsilon(int $x): int
{
    $values = [$x, 3, $x % 7, 9];
    \usort($values, 'Truth\epsilonOrder');

    return $values[0] + $values[3];
}

function epsilonOrder(int $a, int $b): int
{
    return $a <=> $b;
}

function zeta(int $x): int
{
    $target = 'Truth\zetaTarget';

    // By a qualified name and with the function in a variable, the compiler keeps the call as it is written.
    $call = 'call_user_func_array';

    return $call($target, [$x, "zeta $x"]);
}

function zetaTarget(int $x, string $text): int
{
    return \ord(\ucfirst($text)[0]) + $x;
}

function eta(int $left, int $x): int
{
    if ($left === 0) {
        return etaLeaf($x);
    }

    return eta($left - 1, $x + $left) + 1;
}

function etaLeaf(int $x): int
{
    $sum = 0;
    for ($i = 0; $i < 8; $i++) {
        $sum += $i ^ $x;
    }

    return $sum;
}

function theta(int $x): int
{
    $sum = 0;
    foreach (thetaValues($x) as $value) {
        $sum += $value;
    }

    return $sum;
}

function thetaValues(int $x): \Generator
{
    for ($i = 0; $i < 4; $i++) {
        yield thetaLeaf($i, $x);
    }
}

function thetaLeaf(int $i, int $x): int
{
    return ($i + 1) * $x % 97;
}

if (($argv[1] ?? '') === '--list') {
    echo implode("\n", allowed()), "\n";
    exit(0);
}

$budget = \Workload\Budget::fromArguments($argv);
$gamma = new Gamma();
$sum = 0;
$x = 0;
$budget->begin();
while ($budget->more()) {
    $sum += alpha($x) + beta($x, 2, 3) + $gamma->run($x) + delta($x) + epsilon($x) + zeta($x) + eta(9, $x) + theta($x);
    $sum %= 1_000_003;
    $x = ($x + 1) % 10_007;
}
$budget->end($sum);
