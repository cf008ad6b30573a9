<?php
// The code of an included file is freed when it ends; the next one's then lies in the same place.
function work(int $n): int { $sum = 0; for ($i = 0; $i < $n; $i++) { $sum += $i; } return $sum; }
function one(string $file): void { include $file; }
function two(string $file): void { include $file; }

echo "ready\n";
while (true) {
    one(__DIR__ . '/template_one.inc');
    two(__DIR__ . '/template_two.inc');
}
