<?php
// Does random things to rows of its own, on a connection of its own, and knows what they have to be.
declare(strict_types=1);

require_once __DIR__ . '/Model.php';
require_once __DIR__ . '/Tally.php';

class Worker
{
    private const IDS = 12;
    /** Gone while something was under way, whatever the driver calls it. */
    private const BROKEN = ['57P01', '57P02', '57P03', '08000', '08003', '08006', 'HY000'];

    /** The wrecker changed a table under a name, of whose result or parameters the types are others then. The server has
     * ended the transaction before anybody can try again. */
    private const STALE = ['0A000', '42804', '42883'];

    protected const OPERATIONS = [
        'read', 'read', 'read', 'count', 'write', 'write', 'write', 'remove', 'twice', 'partly', 'types', 'begin', 'begin',
        'commit', 'commit', 'rollBack', 'savepoint', 'back', 'held', 'held', 'fail', 'forget', 'emulated', 'cursor',
    ];

    protected ?PDO $pdo = null;
    protected readonly Model $model;
    private readonly Random\Randomizer $random;
    /** @var array<string, PDOStatement> statements that live on */
    private array $held = [];
    /** @var list<string> what it did last, for who has to find out why */
    private array $last = [];

    public function __construct(
        protected readonly int $number,
        int $seed,
        protected readonly Tally $tally,
        protected readonly Closure $connect,
    ) {
        $this->model = new Model();
        // Of its own, so that a seed means the same in whatever order the workers go on.
        $this->random = new Random\Randomizer(new Random\Engine\Mt19937($seed * 1000 + $number));
    }

    protected function random(int $least = 0, int $most = PHP_INT_MAX): int
    {
        return $this->random->getInt($least, $most);
    }

    public function step(): void
    {
        $fresh = true;
        try {
            $operation = static::OPERATIONS[$this->random(0, count(static::OPERATIONS) - 1)];
            if ($this->random(0, 199) === 0) {
                $operation = 'reconnect';
            }
            $this->tally->did($operation);
            $this->last = [...array_slice($this->last, -29), $operation];
            $this->pdo ??= $this->connect();
            $fresh = $operation !== 'held';
            $this->{$operation}();
        } catch (PDOException $error) {
            $this->last[] = '(' . ($error->errorInfo[0] ?? $error->getCode()) . ')';
            $this->failed($error, $fresh);
        } catch (Wrong $wrong) {
            throw new Wrong("{$wrong->getMessage()}, after: " . implode(' ', $this->last), 0, $wrong);
        }
    }

    /** Looks at everything once more. */
    public function settle(): void
    {
        for ($attempt = 0; ; $attempt++) {
            try {
                $this->end();
                return;
            } catch (PDOException $error) {
                // Broken by the wrecker once more: what it left is looked at on a new connection.
                $this->step();
                if ($attempt === 20) {
                    throw $error;
                }
            }
        }
    }

    private function end(): void
    {
        if ($this->pdo !== null) {
            $this->rollBack();
            $this->compare($this->all($this->pdo));
        }
        $this->leave();
    }

    protected function connect(): PDO
    {
        $pdo = ($this->connect)($this->number);
        $this->model->recover($this->all($pdo));
        return $pdo;
    }

    /** @return array<int, string> */
    protected function all(PDO $pdo): array
    {
        $rows = [];
        // Once only, and so never by a name.
        foreach ($pdo->query("SELECT id, v FROM thing WHERE owner = {$this->number} ORDER BY id -- " . $this->random()) as $row) {
            $rows[(int) $row['id']] = (string) $row['v'];
        }
        return $rows;
    }

    /** @param array<int, string> $found */
    private function compare(array $found): void
    {
        ksort($this->model->rows);
        if ($found !== $this->model->rows) {
            throw new Wrong("worker {$this->number} sees " . json_encode($found) . ' instead of ' . json_encode($this->model->rows));
        }
    }

    private function failed(PDOException $error, bool $fresh): void
    {
        $state = (string) ($error->errorInfo[0] ?? $error->getCode());
        if (in_array($state, self::BROKEN, true) || $state === '0' && $this->knownToBeBroken()) {
            $this->tally->met('broken connections');
            $this->leave();
            return;
        }
        // A wait for the wrecker that was broken off.
        $allowed = ['40P01', '55P03', '57014'];
        if (!function_exists('pdo_pool_stats')) {
            // A name that the server has forgotten fails again when it is given up, and a table may change between
            // prepare and execute.
            array_push($allowed, '0A000', '26000', '25P02', '42804');
        } elseif ($this->model->inTransaction()) {
            array_push($allowed, ...self::STALE);
        }
        if (!in_array($state, $allowed, true)) {
            throw new Wrong("worker {$this->number}: {$error->getMessage()}", 0, $error);
        }
        $this->tally->met($state);
        $this->held = $fresh ? $this->held : [];
        if ($this->model->inTransaction()) {
            try {
                $this->rollBack();
            } catch (PDOException) {
                $this->leave();
            }
        }
    }

    protected function leave(): void
    {
        $this->held = [];
        $this->pdo = null;
    }

    /** PDO takes such a connection for one in a transaction, and begins none: an error of its own, without a state. */
    private function knownToBeBroken(): bool
    {
        return $this->pdo?->getAttribute(PDO::ATTR_CONNECTION_STATUS) === 'Bad connection.';
    }

    private function id(): int
    {
        return $this->random(1, self::IDS);
    }

    protected function read(): void
    {
        $id = $this->id();
        // Texts of different number, so that names come and go.
        $statement = $this->pdo->prepare('SELECT v, id FROM thing WHERE owner = ? AND id = ? -- ' . $this->random(0, 11));
        $statement->execute([$this->number, $id]);
        $this->expect($statement->fetchAll(PDO::FETCH_COLUMN), isset($this->model->rows[$id]) ? [$this->model->rows[$id]] : [], 'read');
    }

    private function count(): void
    {
        $statement = $this->pdo->prepare('SELECT count(*) FROM thing WHERE owner = :owner');
        $statement->bindValue('owner', $this->number, $this->random(0, 1) ? PDO::PARAM_INT : PDO::PARAM_STR);
        $statement->execute();
        $this->expect([$statement->fetchColumn()], [count($this->model->rows)], 'count');
    }

    private function write(): void
    {
        [$id, $value] = [$this->id(), (string) $this->random(0, 999)];
        $before = $this->model->rows;
        $this->model->rows[$id] = $value;
        $statement = $this->pdo->prepare(
            'INSERT INTO thing (owner, id, v) VALUES (?, ?, ?) ON CONFLICT (owner, id) DO UPDATE SET v = excluded.v'
        );
        $this->apply($statement, [$this->number, $id, $value], $before);
    }

    private function remove(): void
    {
        $id = $this->id();
        $before = $this->model->rows;
        unset($this->model->rows[$id]);
        $this->apply($this->pdo->prepare('DELETE FROM thing WHERE owner = ? AND id = ?'), [$this->number, $id], $before);
    }

    /**
     * Whether it was applied cannot be known of a connection that broke; of any other it can.
     *
     * @param list<mixed> $given
     * @param array<int, string> $before
     */
    private function apply(PDOStatement $statement, array $given, array $before): void
    {
        ksort($this->model->rows);
        try {
            $statement->execute($given);
        } catch (PDOException $error) {
            if (!in_array((string) $error->errorInfo[0], self::BROKEN, true)) {
                $this->model->rows = $before;
            }
            throw $error;
        }
        $this->model->settle();
    }

    /** Two of one text at once, read in turns. */
    private function twice(): void
    {
        $sql = 'SELECT i * ? FROM generate_series(1, 3) i';
        [$one, $two] = [$this->pdo->prepare($sql), $this->pdo->prepare($sql)];
        $one->execute([2]);
        $two->execute([5]);
        $found = [];
        for ($i = 0; $i < 3; $i++) {
            array_push($found, $one->fetchColumn(), $two->fetchColumn());
        }
        $this->expect($found, [2, 5, 4, 10, 6, 15], 'twice');
    }

    private function partly(): void
    {
        $statement = $this->pdo->prepare('SELECT i FROM generate_series(1, ?::int) i');
        $statement->execute([50]);
        $this->expect([$statement->fetchColumn()], [1], 'partly');
    }

    /** The same text with another type of parameter. */
    private function types(): void
    {
        $value = $this->random(0, 1) ? $this->random(0, 9) : 'text' . $this->random(0, 9);
        $statement = $this->pdo->prepare('SELECT ?');
        $statement->bindValue(1, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
        $statement->execute();
        $this->expect([$statement->fetchColumn()], [$value], 'types');
    }

    private function begin(): void
    {
        if (!$this->model->inTransaction()) {
            $this->pdo->beginTransaction();
            $this->model->begin();
        }
    }

    private function commit(): void
    {
        if ($this->model->inTransaction()) {
            $this->pdo->commit();
            $this->model->commit();
        }
    }

    protected function rollBack(): void
    {
        if ($this->model->inTransaction()) {
            $this->pdo->rollBack();
            $this->model->rollBack();
        }
    }

    private function savepoint(): void
    {
        if ($this->model->inTransaction() && $this->model->savepoints() < 3) {
            $this->pdo->exec('SAVEPOINT s' . $this->model->savepoints());
            $this->model->savepoint();
        }
    }

    private function back(): void
    {
        if ($this->model->savepoints() > 0) {
            $this->pdo->exec('ROLLBACK TO SAVEPOINT s' . ($this->model->savepoints() - 1));
            $this->model->rollBackToSavepoint();
        }
    }

    /** A statement that was prepared a while ago. */
    private function held(): void
    {
        // The wrecker adds and drops columns behind these two.
        $columns = $this->random(0, 1) ? 'id, v' : 'id, v, thing.*';
        $sql = "SELECT $columns FROM thing WHERE owner = ? ORDER BY id -- held " . $this->random(0, 2);
        $statement = $this->held[$sql] ??= $this->pdo->prepare($sql);
        $statement->execute([$this->number]);
        $rows = $statement->fetchAll(PDO::FETCH_NUM);
        $this->compare(array_map(strval(...), array_column($rows, 1, 0)));
        $this->wide($statement, $rows);
        if ($this->random(0, 4) === 0) {
            unset($this->held[$sql]);
        }
    }

    /**
     * All columns are there, each under its own name.
     *
     * @param list<list<mixed>> $rows
     */
    private function wide(PDOStatement $statement, array $rows): void
    {
        if ($rows === [] || $statement->columnCount() === 2) {
            return;
        }
        $names = array_map(static fn (int $i): string => $statement->getColumnMeta($i)['name'], range(0, count($rows[0]) - 1));
        $due = ['id', 'v', 'owner', 'id', 'v'];
        $this->expect($names, count($rows[0]) === 6 ? [...$due, 'w'] : $due, 'held, its columns');
        foreach ($rows as $row) {
            $this->expect(array_slice($row, 2, 3), [$this->number, $row[0], $row[1]], 'held, its values');
        }
    }

    /** An error of the application's own; in a transaction it ends it, but for a savepoint. */
    private function fail(): void
    {
        try {
            $this->pdo->prepare('SELECT 1 / ?::int')->execute([0]);
            throw new Wrong('a division by zero did not fail');
        } catch (PDOException $error) {
            if ($error->errorInfo[0] !== '22012') {
                throw $error;
            }
        }
        if ($this->model->savepoints() > 0 && $this->random(0, 1)) {
            $this->back();
        } else {
            $this->rollBack();
        }
    }

    /** All statements of the connection are gone for the server. */
    private function forget(): void
    {
        if ($this->model->inTransaction()) {
            $this->pdo->exec('DEALLOCATE ALL');
        } else {
            $forgotten = ['DISCARD ALL', 'DEALLOCATE ALL', 'DISCARD PLANS'][$this->random(0, 2)];
            $this->last[] = $forgotten;
            $this->pdo->exec($forgotten);
        }
    }

    protected function emulated(): void
    {
        $this->pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, true);
        try {
            $this->read();
        } finally {
            $this->pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
        }
    }

    protected function cursor(): void
    {
        if (!$this->model->inTransaction()) {
            return;
        }
        $statement = $this->pdo->prepare(
            'SELECT id FROM thing WHERE owner = ? ORDER BY id',
            [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL],
        );
        $statement->execute([$this->number]);
        $ids = array_keys($this->model->rows);
        sort($ids);
        $found = $statement->fetchAll(PDO::FETCH_COLUMN);
        if (count($found) < count($ids)) {
            // The driver takes a connection that breaks in the middle for the end of the rows.
            $this->pdo->query('SELECT 1');
        }
        $this->expect($found, $ids, 'cursor');
    }

    protected function reconnect(): void
    {
        $this->rollBack();
        $this->leave();
    }

    /**
     * @param list<mixed> $found
     * @param list<mixed> $due
     */
    protected function expect(array $found, array $due, string $what): void
    {
        if (array_map(strval(...), $found) !== array_map(strval(...), $due)) {
            throw new Wrong("worker {$this->number}: $what gave " . json_encode($found) . ' instead of ' . json_encode($due));
        }
    }
}
