<?php
// Only these chains exist, and each ends in what is named last (see tests/reader.rs).

function a3(int $i): string { return md5('a' . $i); }
function a2(int $i): string { return a3($i) . a3($i + 1); }
function a1(int $i): string { return a2($i); }

function b1(string $s): string { return strrev($s); }
final class B { public static function run(string $s): string { return b1($s); } }

function c2(int $n): int { return strlen(str_repeat('x', $n)); }
// Closures that lie at the same place one after the other.
function c1(int $n): int {
    $f = function (int $m): int { return c2($m); };
    return $f($n);
}
function d1(int $n): int {
    $f = function (int $m): int { return $m * $m % 7; };
    return $f($n);
}

echo "ready\n";
$sum = 0;
for ($i = 0; ; $i++) {
    $sum += strlen(a1($i)) + strlen(B::run("text $i")) + c1($i & 63) + d1($i);
}
