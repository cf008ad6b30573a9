<?php
// One request to a server with threads. What it asks is its own, what it is told has to be the truth, and it may end badly.
declare(strict_types=1);

final class Threaded
{
    /** How requests end, by their number. */
    private const ENDS = ['well', 'well', 'thrown', 'exit', 'fatal', 'killed', 'forgotten', 'cycle'];
    private const POOL = 3;
    private const FIBERS = 6;

    private PDO $pdo;
    private int $number;
    private string $end = 'unknown';
    /** Whether all that comes before the end was right. */
    private bool $reached = false;
    private ?self $cycle = null;

    public function __construct(private readonly string $mode, private readonly string $dsn)
    {
    }

    public function serve(): void
    {
        register_shutdown_function($this->say(...));
        try {
            $this->pdo = $this->connect();
            $this->number = (int) $this->ask("SELECT nextval('number')");
            $this->end = self::ENDS[$this->number % count(self::ENDS)];
            $this->mode === 'pool' ? $this->pooled() : $this->alone();
            $this->reached = true;
        } catch (Wrong | PDOException $error) {
            echo "wrong: $this->mode, {$error->getMessage()}\n";
        }
        if ($this->reached) {
            $this->end();
        }
    }

    private function end(): void
    {
        $end = $this->{$this->end}(...);
        if ($this->mode === 'pool') {
            pdo_pool_run($end, fn () => $this->pdo->exec('SELECT pg_sleep(0.001)'));
        } else {
            $end();
        }
    }

    private function connect(): PDO
    {
        $options = match ($this->mode) {
            'persistent' => [PDO::ATTR_PERSISTENT => true],
            'pool' => [PDO::ATTR_POOL_ENABLED => true, PDO::ATTR_POOL_MAX => self::POOL],
            default => [],
        };
        return new PDO($this->dsn, null, null, $options);
    }

    private function alone(): void
    {
        $me = "me $this->number";
        $this->ask("SELECT set_config('threads.me', ?, false)", [$me]);
        $process = $this->ask('SELECT pg_backend_pid()');
        $this->texts();
        $this->expect($this->ask("SELECT current_setting('threads.me')"), $me, 'a setting of its own');
        $this->expect($this->ask('SELECT pg_backend_pid()'), $process, 'its process');
        $this->keep();
        if ($this->end === 'killed') {
            $this->lose();
        }
    }

    private function pooled(): void
    {
        $processes = [];
        $task = function (int $fiber) use (&$processes): int {
            $me = "me $this->number $fiber";
            $this->pdo->beginTransaction();
            $this->ask("SELECT set_config('threads.me', ?, true)", [$me]);
            $processes[$this->ask('SELECT pg_backend_pid()')] = true;
            $this->pdo->exec('SELECT pg_sleep(0.001)');
            $this->expect($this->ask("SELECT current_setting('threads.me')"), $me, 'a setting of its own');
            $this->pdo->commit();
            if ($fiber === 0 && $this->end === 'killed') {
                $this->lose();
            }
            $this->texts();
            return $fiber;
        };
        $tasks = array_map(static fn (int $fiber): Closure => static fn (): int => $task($fiber), range(0, self::FIBERS - 1));
        $this->expect(implode(pdo_pool_run(...$tasks)), implode(range(0, self::FIBERS - 1)), 'its fibers');
        if (count($processes) > self::POOL) {
            throw new Wrong('a pool of ' . self::POOL . ' had ' . count($processes) . ' connections');
        }
        $this->keep();
    }

    /** More texts than are kept, each of them twice. */
    private function texts(): void
    {
        for ($i = 0; $i < 24; $i++) {
            $text = $i % 12;
            $this->expect($this->ask("SELECT ?::int + $text", [$this->number + $i]), $this->number + $i + $text, "text $text");
        }
    }

    private function keep(): void
    {
        $this->pdo->prepare('INSERT INTO thing (number, due) VALUES (?, true)')->execute([$this->number]);
    }

    /** What is not to be there later. */
    private function begin(): void
    {
        $this->pdo->beginTransaction();
        $this->pdo->prepare('INSERT INTO thing (number, due) VALUES (?, false)')->execute([$this->number]);
    }

    private function lose(): void
    {
        $this->pdo->beginTransaction();
        try {
            $this->ask('SELECT pg_terminate_backend(pg_backend_pid())');
            $this->ask('SELECT 1');
            throw new Wrong('a connection that was ended goes on');
        } catch (PDOException) {
        }
        try {
            $this->pdo->rollBack();
        } catch (PDOException) {
        }
    }

    private function well(): void
    {
    }

    /** It was, before. */
    private function killed(): void
    {
    }

    private function thrown(): void
    {
        $this->begin();
        throw new RuntimeException('as it should be');
    }

    private function exit(): void
    {
        $this->begin();
        $statement = $this->pdo->query('SELECT generate_series(1, 1000)');
        $statement->fetch();
        exit(0);
    }

    private function fatal(): void
    {
        $this->begin();
        str_repeat('more than there is ', 1 << 40);
    }

    private function forgotten(): void
    {
        $this->begin();
    }

    private function cycle(): void
    {
        $this->begin();
        $this->cycle = $this;
    }

    /** @param list<mixed> $given */
    private function ask(string $sql, array $given = []): mixed
    {
        $statement = $this->pdo->prepare($sql);
        $statement->execute($given);
        return $statement->fetchColumn();
    }

    private function expect(mixed $found, mixed $due, string $what): void
    {
        if ((string) $found !== (string) $due) {
            throw new Wrong("$what: $found instead of $due");
        }
    }

    private function say(): void
    {
        echo $this->reached ? "ended $this->end\n" : "wrong: $this->mode, $this->end was not reached\n";
    }
}

final class Wrong extends Exception
{
}
