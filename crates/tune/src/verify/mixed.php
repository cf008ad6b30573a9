<?php
// A little of much: what runs in a loop of a few instructions needs no huge pages.
class Item
{
    public function __construct(public int $id, public string $name, private array $tags = [])
    {
    }

    public function __get(string $name): mixed
    {
        return $this->tags[$name] ?? null;
    }
}

function items(int $count): Generator
{
    for ($i = 0; $i < $count; $i++) {
        yield new Item($i, ucwords(strrev("item number $i")), ["k$i" => $i * 1.5]);
    }
}

$sum = 0;
for ($round = 0; $round < 200; $round++) {
    $all = iterator_to_array(items(120));
    usort($all, fn (Item $a, Item $b): int => strcmp($b->name, $a->name) ?: $a->id <=> $b->id);
    $text = implode(', ', array_map(fn (Item $item): string => sprintf('%05d %s', $item->id, $item->name), $all));
    $words = preg_split('/[\s,]+/', preg_replace_callback('/(\d+) (\w+)/', fn (array $m): string => "$m[2]-$m[1]", $text));
    $back = json_decode(json_encode(array_count_values($words)), true);
    $page = htmlspecialchars(str_replace(['a', 'e'], ['<', '&'], $text));
    $sum += crc32(serialize($back)) + strlen(wordwrap($page, 72)) + count(explode('&', $page));
    $sum ^= hexdec(substr(md5($page . date('Y-m-d', 86400 * $round)), 0, 8));
    $keys = array_filter(array_flip(array_unique($words)), fn (int $at): bool => $at % 3 === 0);
    ksort($keys);
    $sum += array_sum(array_slice(array_merge($keys, range(1, 50)), 5, 40));
    try {
        throw new DomainException(trim(number_format($sum / 7, 2)));
    } catch (DomainException $error) {
        $sum += strlen($error->getMessage());
    }
}
echo $sum, "\n";
