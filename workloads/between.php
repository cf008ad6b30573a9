<?php
// C that calls back into PHP, each kind below a function of its own, for so many seconds.

class Subject implements Countable {
    public function __destruct() { work('destruct'); }
    public function __get($name) { return work('get'); }
    public function count(): int { work('count'); return 1; }
}

function work($text) { return hash('sha256', str_repeat($text, 60)); }
function compares_two($one, $other) { work('compare'); return $one <=> $other; }
function generator() { for ($i = 0; $i < 30; $i++) { work('generate'); yield $i; } }
function outer() { yield from generator(); }
function autoload($class) { work('load'); eval("class $class {}"); }

function sorts() { $list = range(1, 20); shuffle($list); usort($list, 'compares_two'); }
function maps() { array_map(fn($one) => array_map(fn($other) => work('map'), [1, 2]), range(1, 15)); }
function maps_in_c() { array_map('array_map', array_fill(0, 300, 'strtoupper'), array_fill(0, 300, ['a', 'b', 'c'])); }
function replaces() { preg_replace_callback('/\w+/', fn($found) => work('replace'), str_repeat('ab cd ', 15)); }
function destructs() { for ($i = 0; $i < 30; $i++) { new Subject; } }
function gets() { $subject = new Subject; for ($i = 0; $i < 30; $i++) { $subject->absent; } }
function loads() { static $class = 0; for ($i = 0; $i < 8; $i++) { $name = 'Loaded' . $class++; new $name; } }
function generates() { foreach (generator() as $item) { work('loop'); } }
function generates_all() { foreach (outer() as $item) { work('loop'); } }
function counts() { $subject = new Subject; for ($i = 0; $i < 30; $i++) { count($subject); } }

spl_autoload_register('autoload');
$end = hrtime(true) + 1e9 * (float) ($argv[1] ?? 1);
while (hrtime(true) < $end) {
    sorts();
    maps();
    maps_in_c();
    replaces();
    destructs();
    gets();
    loads();
    generates();
    generates_all();
    counts();
}
