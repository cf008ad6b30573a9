<?php

// The shape of WordPress: filters by name, each with callbacks by priority, applied in a loop.

declare(strict_types=1);

require __DIR__ . '/lib/Budget.php';

final class WP_Hook
{
    /** @var array<int, list<Closure>> */
    private array $callbacks = [];

    private bool $sorted = false;

    public function add_filter(Closure $callback, int $priority): void
    {
        $this->callbacks[$priority][] = $callback;
        $this->sorted = false;
    }

    public function apply_filters(mixed $value, array $args): mixed
    {
        // Sorted each time, as where plugins keep on adding filters.
        $callbacks = $this->callbacks;
        ksort($callbacks, SORT_NUMERIC);
        foreach ($callbacks as $ofPriority) {
            foreach ($ofPriority as $callback) {
                $value = call_user_func_array($callback, [$value, ...$args]);
            }
        }

        return $value;
    }
}

/** @var array<string, WP_Hook> */
$wp_filter = [];

function add_filter(string $name, Closure $callback, int $priority = 10): void
{
    global $wp_filter;
    $wp_filter[$name] ??= new WP_Hook();
    $wp_filter[$name]->add_filter($callback, $priority);
}

function apply_filters(string $name, mixed $value, mixed ...$args): mixed
{
    global $wp_filter;

    return isset($wp_filter[$name]) ? $wp_filter[$name]->apply_filters($value, $args) : $value;
}

function register_plugins(int $hooks): void
{
    for ($i = 0; $i < $hooks; $i++) {
        add_filter("filter_$i", static fn (string $value, int $post): string => trim($value) . " $post", 20);
        add_filter(
            "filter_$i",
            static function (string $value, int $post): string {
                return str_replace('post', 'entry', $value) . ($post % 2 === 0 ? '!' : '?');
            },
        );
    }
}

const HOOKS = 100;

$budget = Workload\Budget::fromArguments($argv);
register_plugins(HOOKS);
$sum = 0;
$post = 0;
$budget->begin();
while ($budget->more()) {
    $title = apply_filters('filter_' . $post % HOOKS, ' A post of mine ', $post);
    $sum = ($sum * 31 + strlen($title)) % 1_000_003;
    $post++;
}
$budget->end($sum);
