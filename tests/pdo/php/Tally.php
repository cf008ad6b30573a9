<?php
// What all workers did together.
declare(strict_types=1);

require_once __DIR__ . '/Wrecker.php';

final class Tally
{
    private int $done = 0;
    private int $resident = 0;
    /** @var array<string, int> */
    private array $did = [];
    /** @var array<string, int> */
    private array $met = [];

    public function __construct(private readonly int $operations, private readonly Wrecker $wrecker)
    {
    }

    public function did(string $operation): void
    {
        $this->did[$operation] = ($this->did[$operation] ?? 0) + 1;
        if (++$this->done === intdiv($this->operations, 2)) {
            $this->resident = self::resident();
        }
        $this->wrecker->goOn();
    }

    public function met(string $what): void
    {
        $this->met[$what] = ($this->met[$what] ?? 0) + 1;
    }

    /** Now. @return array<string, mixed> */
    public function told(): array
    {
        return [
            'did' => $this->done,
            'of_each' => $this->did,
            'met' => (object) $this->met,
            // Since the half of them was done.
            'grown_kb' => self::resident() - $this->resident,
        ];
    }

    private static function resident(): int
    {
        preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found);
        return (int) $found[1];
    }
}
