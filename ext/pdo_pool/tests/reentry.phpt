--TEST--
Parameters, streams, destructors and shutdown functions that use the connection that uses them
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';

class Asks
{
    public static PDO $pdo;
    public $context;

    public function __construct(private string $name = 'stream')
    {
    }

    public function __toString(): string
    {
        try {
            return run(self::$pdo, 'SELECT ?::text', [$this->name])[0][0] . '!';
        } catch (PDOException $e) {
            return $e->errorInfo[0];
        }
    }

    public function stream_open(): bool
    {
        return true;
    }

    public function stream_read(): string
    {
        return $this->stream_eof() ? '' : $this->text = (string) $this;
    }

    public ?string $text = null;

    public function stream_eof(): bool
    {
        return $this->text !== null;
    }

    public function stream_stat(): array
    {
        return [];
    }
}

final class Farewell
{
    public function __construct(private PDO $pdo, private string $name)
    {
    }

    public function __destruct()
    {
        show([$this->name, run($this->pdo, 'SELECT ?::int', [7])[0][0]]);
    }
}

stream_wrapper_register('asks', Asks::class);
foreach ([connect(), pool([PDO::ATTR_POOL_MAX => 1]), pool()] as $pdo) {
    Asks::$pdo = $pdo;
    foreach ([1, 2, 3] as $time) {
        $statement = $pdo->prepare('SELECT ?::text');
        $statement->execute([new Asks('param')]);
        $statement->execute([new Asks('param of the same')]);
        $found = [$statement->fetchColumn()];
        $stream = fopen('asks://', 'r');
        $statement->bindParam(1, $stream, PDO::PARAM_LOB);
        $statement->execute();
        show([...$found, $statement->fetchColumn()]);
    }
    // In the midst of COPY there is no answer; without a pool, libpq ends COPY for the question.
    $pdo->exec('CREATE TEMP TABLE reentry (a text)');
    $copy = fn() => $pdo->pgsqlCopyFromArray('reentry', [new Asks('row'), "x\n"]);
    show(fails($copy), run($pdo, 'SELECT 5'));
    pdo_pool_run(function () use ($pdo) {
        $farewell = new Farewell($pdo, 'end of a fiber');
        run($pdo, 'SELECT pg_sleep(0.01)');
    });
    register_shutdown_function(function () use ($pdo) {
        show(run($pdo, 'SELECT 6'));
        $GLOBALS['farewells'][] = new Farewell($pdo, 'end of all');
    });
}
?>
--EXPECT--
["param of the same!","stream!"]
["param of the same!","stream!"]
["param of the same!","stream!"]
"HY000"
[[5]]
["end of a fiber",7]
["param of the same!","stream!"]
["param of the same!","stream!"]
["param of the same!","stream!"]
"no error"
[[5]]
["end of a fiber",7]
["param of the same!","stream!"]
["param of the same!","stream!"]
["param of the same!","stream!"]
"no error"
[[5]]
["end of a fiber",7]
[[6]]
[[6]]
[[6]]
["end of all",7]
["end of all",7]
["end of all",7]
