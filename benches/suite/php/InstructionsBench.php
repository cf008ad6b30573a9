<?php

use PhpBench\Attributes as Bench;

/** Work that is the same each time, of several kinds. */
class InstructionsBench
{
    #[Bench\ParamProviders('provideWork')]
    public function benchWork(array $parameters)
    {
        switch ($parameters['work']) {
            case 'hash':
                return md5('phperf');
            case 'regular expression':
                return preg_replace('/(\w+) (\w+)/', '$2 $1', 'hello world foo bar');
            case 'array':
                $array = [];
                for ($i = 0; $i < 100; $i++) {
                    $array["key$i"] = $i;
                }
                ksort($array);
                return $array;
            case 'objects':
                $objects = new SplObjectStorage();
                for ($i = 0; $i < 50; $i++) {
                    $objects[(object) ['i' => $i]] = $i;
                }
                return count($objects);
        }
    }

    public function provideWork(): \Generator
    {
        foreach (['hash', 'regular expression', 'array', 'objects'] as $work) {
            yield $work => ['work' => $work];
        }
    }
}
