<?php

declare(strict_types=1);

namespace Workload;

/**
 * How long a workload runs, and the two lines that it says to whoever started it.
 *
 *     php WORKLOAD.php                   for ever
 *     php WORKLOAD.php --iterations N    fixed work, with the same result each time
 *     php WORKLOAD.php --seconds S       S seconds
 *     php WORKLOAD.php --wait …          waits for a line on standard input before it works, and for another
 *                                        one (or its end) before it ends
 *
 * It prints `ready` when it is about to work, and `result ITERATIONS VALUE` at the end.
 */
final class Budget
{
    /** The clock is read once in so many iterations, so that reading it does not show in profiles. */
    private const CLOCK_EVERY = 64;

    private int $done = 0;
    private int $deadline = PHP_INT_MAX;

    private int $iterations;
    private float $seconds;
    private bool $wait;

    private function __construct(int $iterations, float $seconds, bool $wait)
    {
        $this->iterations = $iterations;
        $this->seconds = $seconds;
        $this->wait = $wait;
    }

    /** @param list<string> $argv */
    public static function fromArguments(array $argv): self
    {
        $iterations = PHP_INT_MAX;
        $seconds = 0.0;
        $wait = false;
        for ($i = 1; $i < count($argv); $i++) {
            switch ($argv[$i]) {
                case '--iterations':
                    $iterations = (int) ($argv[++$i] ?? 0);
                    break;
                case '--seconds':
                    $seconds = (float) ($argv[++$i] ?? 0);
                    break;
                case '--wait':
                    $wait = true;
                    break;
                default:
                    fwrite(STDERR, "usage: php $argv[0] [--iterations N | --seconds S] [--wait]\n");
                    exit(2);
            }
        }

        return new self($iterations, $seconds, $wait);
    }

    /** Says `ready`, and waits for the starting signal where one was asked for. */
    public function begin(): void
    {
        fwrite(STDOUT, "ready\n");
        if ($this->wait && fgets(STDIN) === false) {
            exit(1);
        }
        if ($this->seconds > 0) {
            $this->deadline = hrtime(true) + (int) ($this->seconds * 1e9);
        }
    }

    /** Whether there is another iteration to do. */
    public function more(): bool
    {
        if ($this->done >= $this->iterations) {
            return false;
        }
        if ($this->done % self::CLOCK_EVERY === 0 && hrtime(true) >= $this->deadline) {
            return false;
        }
        $this->done++;

        return true;
    }

    /**
     * Says what came out, so that fixed work can be compared.
     *
     * @param int|string $value
     */
    public function end($value): void
    {
        fwrite(STDOUT, "result {$this->done} $value\n");
        if ($this->wait) {
            fgets(STDIN);
        }
    }
}
