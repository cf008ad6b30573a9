--TEST--
Subclasses of PDO and of PDOStatement
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
class Base extends PDO
{
    public function __construct(string $dsn, public string $note = 'x')
    {
        parent::__construct($dsn);
    }
}
class Statement extends PDOStatement
{
    protected function __construct(public string $label)
    {
    }
}
class Lazy extends PDO
{
    public function __construct()
    {
        // connects when asked to
    }

    public function open(): void
    {
        parent::__construct(getenv('PDO_POOL_TEST_DSN'));
    }
}
$pdo = new Base(getenv('PDO_POOL_TEST_DSN'));
$pdo->setAttribute(PDO::ATTR_STATEMENT_CLASS, [Statement::class, ['label']]);
for ($i = 0; $i < 3; $i++) {
    $statement = $pdo->prepare('SELECT ?::int');
    $statement->execute([$i]);
    show([get_class($statement), $statement->label, $statement->fetchColumn()]);
}
show(pdo_pool_stats($pdo)['named'], $pdo->note);
$lazy = new Lazy();
show(pdo_pool_stats($lazy));
try {
    $lazy->prepare('SELECT 1');
} catch (Error $e) {
    show(get_class($e));
}
$lazy->open();
show(pdo_pool_stats($lazy)['cached'], run($lazy, 'SELECT 1'), run($lazy, 'SELECT 1'), pdo_pool_stats($lazy)['named']);
show(fails(fn() => new PDO('pgsql:host=/nowhere')));
try {
    new PDO('no such driver:');
} catch (PDOException $e) {
    show($e->getMessage());
}
?>
--EXPECT--
["Statement","label",0]
["Statement","label",1]
["Statement","label",2]
1
"x"
{"cached":false}
"Error"
true
[[1]]
[[1]]
1
"08006"
"could not find driver"
