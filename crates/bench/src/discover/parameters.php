<?php
// Parameter sets: what the providers give, and their product.

namespace PhperfBench;

final class Parameters
{
    const MOST = 100000;

    private $class;
    private $asked;
    private $notes;
    private $where;

    public function __construct(\ReflectionClass $class, \stdClass $asked, array &$notes, string $where)
    {
        $this->class = $class;
        $this->asked = $asked;
        $this->notes = &$notes;
        $this->where = $where;
    }

    /** Sets with a name, serialized values in hexadecimal, and values as JSON shows them. */
    public function sets(array $providers): array
    {
        if (isset($this->asked->parameters)) {
            return [$this->set('0', json_decode(json_encode($this->asked->parameters), true))];
        }
        if ($providers === []) {
            return Benchmark::matches($this->asked->variants, '') ? [$this->set('', [])] : [];
        }
        $lists = array_map([$this, 'provided'], $providers);
        if (array_product(array_map('count', $lists)) > self::MOST) {
            throw new \InvalidArgumentException('its providers give more than ' . self::MOST . ' parameter sets');
        }
        $sets = [];
        $indices = array_fill(0, count($lists), 0);
        do {
            $names = [];
            $values = [];
            foreach ($lists as $which => $list) {
                $names[] = $list[$indices[$which]][0];
                $values = array_merge($values, $list[$indices[$which]][1]);
            }
            $name = implode(',', $names);
            if (Benchmark::matches($this->asked->variants, $name)) {
                $sets[] = $this->set($name, $values);
            }
        } while ($this->advance($indices, $lists));
        return $sets;
    }

    /** The first provider's set changes fastest. */
    private function advance(array &$indices, array $lists): bool
    {
        foreach ($lists as $which => $list) {
            if (++$indices[$which] < count($list)) {
                return true;
            }
            $indices[$which] = 0;
        }
        return false;
    }

    private function provided(string $provider): array
    {
        Answer::say(['in' => "the provider $provider of {$this->class->getName()}"]);
        $instance = $this->class->newInstance();
        if (is_callable([$instance, $provider])) {
            $given = $instance->$provider();
        } elseif (is_callable($provider)) {
            $given = $provider();
        } else {
            throw new \InvalidArgumentException("there is no provider $provider in {$this->class->getName()}");
        }
        if (!is_iterable($given)) {
            throw new \InvalidArgumentException("the provider $provider gives no sets but " . gettype($given));
        }
        $sets = [];
        $count = 0;
        foreach ($given as $name => $values) {
            if ($values instanceof \Traversable) {
                $values = iterator_to_array($values);
            }
            if (!is_array($values)) {
                throw new \InvalidArgumentException("set $name of the provider $provider is no array but " . gettype($values));
            }
            if (isset($sets[$name])) {
                $this->notes[] = "$this->where: the provider $provider gives $name twice; the last one is used";
            }
            $sets[$name] = [(string) $name, $values];
            if (++$count > self::MOST) {
                throw new \InvalidArgumentException("the provider $provider gives more than " . self::MOST . ' sets');
            }
        }
        if ($sets === []) {
            throw new \InvalidArgumentException("the provider $provider gives no set");
        }
        return array_values($sets);
    }

    private function set(string $name, array $values): array
    {
        $shown = json_encode($values, JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE, 8);
        return [
            'name' => $name,
            'serialized' => $values === [] ? '' : bin2hex(serialize($values)),
            'shown' => $shown === false || strlen($shown) > 1000 ? null : json_decode($shown),
        ];
    }
}
