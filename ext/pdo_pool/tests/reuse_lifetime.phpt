--TEST--
Idle statements keep nothing alive, and end in good order
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.reuse_statements=1
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
class Noisy
{
    public function __construct(private string $name)
    {
    }

    public function __toString(): string
    {
        return $this->name;
    }

    public function __destruct()
    {
        echo "gone: $this->name\n";
    }
}
$watcher = connect();
$open = fn(array $pids) => run($watcher, 'SELECT count(*) FROM pg_stat_activity WHERE pid = ANY (?)', ['{' . implode(',', $pids) . '}'])[0][0];
$gone = function (array $pids) use ($watcher, $open) {
    // The server ends its process a moment after the connection.
    for ($until = microtime(true) + 10; $open($pids) && microtime(true) < $until; usleep(1000)) {
        run($watcher, 'SELECT pg_stat_clear_snapshot()');
    }
    return $open($pids) === 0;
};

$pdo = connect();
$pid = $pdo->pgsqlGetPid();
run($pdo, 'SELECT 1');
run($pdo, 'SELECT 1');
run($pdo, 'SELECT 2');
$pdo = null;
show($gone([$pid]));

// The statement is the last one to know its connection.
$pdo = connect();
$pid = $pdo->pgsqlGetPid();
run($pdo, 'SELECT 1');
$statement = $pdo->prepare('SELECT 1');
$pdo = null;
$statement->execute();
show($statement->fetchColumn());
$statement = null;
show($gone([$pid]));

// Results and parameters are let go at once, not when the statement is used again.
$pdo = connect();
$statement = $pdo->prepare('SELECT ?');
$value = new Noisy('parameter');
$statement->bindParam(1, $value);
unset($value);
$statement->execute();
unset($statement);
echo "after\n";

// A destructor that uses the same SQL, or leaves the connection.
$statement = $pdo->prepare('SELECT ?');
$again = new class($pdo) {
    public function __construct(private PDO $pdo)
    {
    }

    public function __destruct()
    {
        show(run($this->pdo, 'SELECT ?', ['within']));
        $this->pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
    }

    public function __toString(): string
    {
        return 'x';
    }
};
$statement->bindParam(1, $again);
unset($again, $statement);
show(run($pdo, 'SELECT ?', ['then']));

// More SQL than fits.
for ($i = 0; $i < 600; $i++) {
    run($pdo, "SELECT $i");
}
gained();
run($pdo, 'SELECT 599');
run($pdo, 'SELECT 1');
show(gained());

// A cycle that only the garbage collector ends.
$node = new stdClass();
$node->self = $node;
$node->pdo = connect();
$pid = $node->pdo->pgsqlGetPid();
run($node->pdo, 'SELECT 1');
$node->statement = $node->pdo->prepare('SELECT 1');
unset($node);
gc_collect_cycles();
show($gone([$pid]));

// Persistent ones, of which two PDO objects share one connection.
$persistent = [PDO::ATTR_PERSISTENT => 'pdo_pool reuse'];
$a = connect($persistent);
$b = connect($persistent);
show(run($a, 'SELECT 9'), run($b, 'SELECT 9'), run($a, 'SELECT 9'), run($b, 'SELECT 9'));
$a = null;
show(run($b, 'SELECT 9'));

$kept = $b->prepare('SELECT 10');
run($b, 'SELECT 11');
exit("end\n");
?>
--EXPECT--
true
1
true
gone: parameter
after
[["within"]]
[["then"]]
{"misses":1,"unnamed":1,"reused":1}
true
[[9]]
[[9]]
[[9]]
[[9]]
[[9]]
end
