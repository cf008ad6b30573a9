<?php
// One of many fibers that share a pool: the same, but for what a connection of one's own is needed for.
declare(strict_types=1);

require_once __DIR__ . '/Worker.php';

final class PooledWorker extends Worker
{
    protected const OPERATIONS = [...parent::OPERATIONS, 'others', 'others', 'identity', 'reset', 'slow'];

    /** The pool's: what the lost connection had begun is to be given up first. */
    protected function connect(): PDO
    {
        $pdo = ($this->connect)($this->number);
        if ($pdo->inTransaction()) {
            $pdo->rollBack();
        }
        $this->model->recover($this->all($pdo));
        return $pdo;
    }

    /** Statements of a pool outlive connections. */
    protected function leave(): void
    {
        $this->pdo = null;
    }

    protected function others(): void
    {
        Fiber::suspend();
    }

    /** All others have time to take what this one does not hold. */
    protected function slow(): void
    {
        $this->pdo->exec('SELECT pg_sleep(0.003)');
    }

    protected function emulated(): void
    {
        $statement = $this->pdo->prepare('SELECT ?::int * ?::int', [PDO::ATTR_EMULATE_PREPARES => true]);
        $statement->execute([$this->number, 3]);
        $this->expect([$statement->fetchColumn()], [3 * $this->number], 'emulated');
    }

    protected function cursor(): void
    {
        if (!$this->model->inTransaction()) {
            return;
        }
        $this->pdo->exec("DECLARE ids CURSOR FOR SELECT id FROM thing WHERE owner = $this->number ORDER BY id");
        $ids = array_keys($this->model->rows);
        sort($ids);
        $found = [];
        while ([$id] = $this->pdo->query('FETCH NEXT FROM ids')->fetch(PDO::FETCH_NUM)) {
            $found[] = $id;
        }
        $this->expect($found, $ids, 'cursor');
        $this->pdo->exec('CLOSE ids');
    }

    /** What the server says of the connection of the last INSERT. */
    protected function identity(): void
    {
        $mine = $this->random(0, 1_000_000);
        try {
            $this->pdo->prepare('INSERT INTO identity (owner, v) VALUES (?, ?)')->execute([$this->number, $mine]);
            $statement = $this->pdo->prepare('SELECT owner, v FROM identity WHERE id = ?');
            $statement->execute([$this->pdo->lastInsertId()]);
            $this->expect($statement->fetch(PDO::FETCH_NUM), [$this->number, $mine], 'identity');
        } catch (PDOException $error) {
            // The connection went to another fiber in between, which the pool says.
            if ($error->errorInfo[0] !== '55000') {
                throw $error;
            }
        }
    }

    /** Some forget what the connection has seen, while others have statements that know it by name. */
    protected function reset(): void
    {
        if (!$this->model->inTransaction()) {
            $this->pdo->exec(['DISCARD ALL', 'DISCARD SEQUENCES', 'RESET ALL'][$this->random(0, 2)]);
        }
    }
}
