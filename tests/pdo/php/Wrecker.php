<?php
// The process that is at work meanwhile. It acts once in so many operations, however busy the machine is.
declare(strict_types=1);

final class Wrecker
{
    private const EACH = 25;
    /** So many acts it may be behind. */
    private const BEHIND = 8;
    private mixed $process;
    /** @var list<resource> */
    private array $pipes = [];
    private int $operations = 0;
    private int $told = 0;
    private int $acts = 0;

    public function __construct(string $dsn, int $seed)
    {
        $command = [PHP_BINARY, __DIR__ . '/wrecker.php', $dsn, (string) $seed];
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w']], $this->pipes);
    }

    public function goOn(): void
    {
        if (++$this->operations % self::EACH === 0) {
            fwrite($this->pipes[0], '.');
            if (++$this->told > self::BEHIND) {
                $this->count(fgets($this->pipes[1]));
            }
        }
    }

    /** How often it did what it was about to do, and nobody was in its way. */
    public function end(): int
    {
        fclose($this->pipes[0]);
        while (($line = fgets($this->pipes[1])) !== false) {
            $this->count($line);
        }
        proc_close($this->process);
        return $this->acts;
    }

    private function count(string|false $line): void
    {
        if (!in_array($line, ["0\n", "1\n"], true)) {
            throw new Wrong('the wrecker said ' . json_encode($line));
        }
        $this->acts += (int) $line;
    }
}
