<?php
// Work that is done in C, each kind below a function of its own, for so many seconds.

function hashes() { $text = str_repeat('x', 2000); for ($i = 0; $i < 100; $i++) { $hash = hash('sha256', $text . $i); } return $hash; }
function matches() { $text = str_repeat('ab ', 3000) . 'needle'; for ($i = 0; $i < 20; $i++) { preg_match('/(\w+)\s+needle$/', $text, $found); } return $found; }
function sorts() { mt_srand(3); $list = []; for ($i = 0; $i < 2000; $i++) { $list[] = mt_rand(); } for ($i = 0; $i < 4; $i++) { $copy = $list; sort($copy); } return $copy; }
function compares() { mt_srand(3); $list = []; for ($i = 0; $i < 4000; $i++) { $list[] = mt_rand(); } usort($list, fn($one, $other) => $one <=> $other); return $list; }
function calls_back() { return array_map('strrev', array_fill(0, 4000, 'hello world')); }
function waits() { usleep(5000); }

$end = hrtime(true) + 1e9 * (float) ($argv[1] ?? 1);
while (hrtime(true) < $end) {
    hashes();
    matches();
    sorts();
    compares();
    calls_back();
    waits();
}
