<?php

// A request that computes without ever waiting: `?seconds=S` for so long, else until the client goes away or
// the pool ends. It answers with the number of its rounds.

declare(strict_types=1);

set_time_limit(0);
ignore_user_abort(false);

final class Basket
{
    /** @var array<int, int> */
    private array $prices = [];

    public function __construct(int $articles)
    {
        for ($i = 0; $i < $articles; $i++) {
            $this->prices[$i] = $i * 37 % 101;
        }
    }

    public function total(int $discount): int
    {
        $total = 0;
        foreach ($this->prices as $article => $price) {
            $total += $this->discounted($price, $article, $discount);
        }

        return $total;
    }

    private function discounted(int $price, int $article, int $discount): int
    {
        return max(0, $price - ($article + $discount) % 5);
    }
}

$deadline = isset($_GET['seconds']) ? hrtime(true) + (int) ((float) $_GET['seconds'] * 1e9) : PHP_INT_MAX;
$basket = new Basket(50);
$rounds = 0;
$sum = 0;
while (hrtime(true) < $deadline) {
    for ($i = 0; $i < 100; $i++) {
        $sum = ($sum + $basket->total($i)) % 1_000_003;
    }
    $rounds++;
}
header('Content-Type: text/plain');
echo "result $rounds\n";
