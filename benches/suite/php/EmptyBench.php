<?php

use PhpBench\Attributes as Bench;

#[Bench\Revs(1000), Bench\Iterations(50), Bench\Warmup(1)]
class EmptyBench
{
    public function benchEmpty(): void
    {
    }
}
