<?php

use PhpBench\Attributes as Bench;

/** Nothing, and sleeps of known lengths: what a sampler adds shows against them. */
#[Bench\Iterations(10)]
class SeedBench
{
    public function benchNoOp(): void
    {
    }

    #[Bench\ParamProviders('provideSleep')]
    public function benchSleep(array $parameters): void
    {
        usleep($parameters['sleep']);
    }

    public function provideSleep(): \Generator
    {
        foreach ([0, 50, 100, 500, 1000, 5000, 10000, 20000, 50000, 100000] as $sleep) {
            yield "$sleep" => ['sleep' => $sleep];
        }
    }
}
