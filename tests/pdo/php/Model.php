<?php
// What one connection's rows have to be: what was committed, and what its open transaction did since.
declare(strict_types=1);

final class Model
{
    /** @var array<int, string> by id */
    private array $committed = [];
    /** @var list<array<int, string>> what held at the start of the transaction, then at each savepoint */
    private array $saved = [];
    /** @var array<int, string> */
    public array $rows = [];

    public function begin(): void
    {
        $this->saved = [$this->rows];
    }

    public function savepoint(): void
    {
        $this->saved[] = $this->rows;
    }

    public function rollBackToSavepoint(): void
    {
        $this->rows = array_pop($this->saved);
    }

    public function savepoints(): int
    {
        return max(0, count($this->saved) - 1);
    }

    public function commit(): void
    {
        $this->saved = [];
        $this->committed = $this->rows;
    }

    public function rollBack(): void
    {
        $this->saved = [];
        $this->rows = $this->committed;
    }

    public function inTransaction(): bool
    {
        return $this->saved !== [];
    }

    /** Without a transaction each statement is one. */
    public function settle(): void
    {
        if (!$this->inTransaction()) {
            $this->committed = $this->rows;
        }
    }

    /**
     * What may be in the database when the connection broke while something was under way: all of it or nothing.
     *
     * @return array<int, string> which of both it was
     * @param array<int, string> $found
     */
    public function recover(array $found): array
    {
        $may = [$this->committed, $this->rows];
        $this->saved = [];
        if (!in_array($found, $may, true)) {
            throw new Wrong('after a broken connection there is ' . json_encode($found) . ', which is neither '
                . json_encode($may[0]) . ' nor ' . json_encode($may[1]));
        }
        return $this->committed = $this->rows = $found;
    }
}

/** Something is not as it has to be. */
final class Wrong extends Exception
{
}
