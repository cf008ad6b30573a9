--TEST--
What could be told from a new statement is not handed out again
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
class Sub extends PDOStatement
{
}
class Row
{
    public $a;
}
class Row2
{
    public $a, $b;

    public function __construct(public $x = 'made')
    {
    }
}
$pdo = connect();
gained();
foreach ([
    'nothing' => function (PDOStatement $s) {
    },
    'executed' => fn(PDOStatement $s) => $s->execute() && $s->fetchAll(),
    'fetch mode' => fn(PDOStatement $s) => $s->setFetchMode(PDO::FETCH_COLUMN, 1),
    'class' => fn(PDOStatement $s) => $s->setFetchMode(PDO::FETCH_CLASS, Row::class, []),
    'object' => fn(PDOStatement $s) => $s->execute() && $s->fetchObject(Row2::class, ['x']),
    'all of a column' => fn(PDOStatement $s) => $s->execute() && $s->fetchAll(PDO::FETCH_COLUMN, 1),
    'all of a class' => fn(PDOStatement $s) => $s->execute() && $s->fetchAll(PDO::FETCH_CLASS, Row2::class, ['x']),
    'into a function' => fn(PDOStatement $s) => $s->execute() && $s->fetchAll(PDO::FETCH_FUNC, fn(...$x) => $x),
    'lazy' => fn(PDOStatement $s) => $s->execute() && $s->fetch(PDO::FETCH_LAZY),
    'dynamic property' => function (PDOStatement $s) {
        @$s->mine = 1;
    },
    'weak reference' => function (PDOStatement $s) {
        $GLOBALS['weak'] = WeakReference::create($s);
    },
    'weak map' => function (PDOStatement $s) {
        $GLOBALS['map'] = new WeakMap();
        $GLOBALS['map'][$s] = 1;
    },
    'attribute' => function (PDOStatement $s) {
        try {
            $s->setAttribute(PDO::ATTR_CURSOR_NAME, 'x');
        } catch (PDOException) {
        }
    },
    'error' => function (PDOStatement $s) {
        $s->bindValue(7, 1);
        try {
            $s->execute();
        } catch (PDOException) {
        }
    },
    'dumped' => fn(PDOStatement $s) => var_export($s, true),
] as $what => $do) {
    $statement = $pdo->prepare('SELECT 1 AS a, 2 AS b');
    $id = spl_object_id($statement);
    $do($statement);
    unset($statement);
    gained();
    $statement = $pdo->prepare('SELECT 1 AS a, 2 AS b');
    $reused = gained()['reused'] ?? 0;
    if (PHP_VERSION_ID >= 80500 && in_array($what, ['object', 'all of a class'])) {
        $reused--; // Since then they leave nothing behind.
    }
    show([$what => $reused]);
    $statement->execute();
    if ($statement->fetchAll() != [['a' => 1, 0 => 1, 'b' => 2, 1 => 2]]) {
        echo "It is not like a new one.\n";
    }
    unset($statement);
    show(isset($weak) ? $weak->get() : null);
}
show(count($map));

foreach ([
    'options' => fn() => $pdo->prepare('SELECT 1 AS a, 2 AS b', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]),
    'emulation' => fn() => $pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, true),
    'no emulation' => fn() => $pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, false),
    'default fetch mode' => fn() => $pdo->setAttribute(PDO::ATTR_DEFAULT_FETCH_MODE, PDO::FETCH_NUM),
    'class of statements' => fn() => $pdo->setAttribute(PDO::ATTR_STATEMENT_CLASS, [Sub::class]),
    'and back' => fn() => $pdo->setAttribute(PDO::ATTR_STATEMENT_CLASS, [PDOStatement::class]),
] as $what => $do) {
    $out = $pdo->prepare('SELECT 3');
    $do();
    unset($out);
    gained();
    $statement = $pdo->prepare('SELECT 3');
    $statement->execute();
    show([$what => gained()['reused'] ?? 0, 'class' => get_class($statement), 'row' => $statement->fetch()]);
    unset($statement);
}
?>
--EXPECT--
{"nothing":1}
null
{"executed":1}
null
{"fetch mode":0}
null
{"class":0}
null
{"object":0}
null
{"all of a column":1}
null
{"all of a class":0}
null
{"into a function":0}
null
{"lazy":1}
null
{"dynamic property":0}
null
{"weak reference":0}
null
{"weak map":0}
null
{"attribute":0}
null
{"error":0}
null
{"dumped":0}
null
0
{"options":1,"class":"PDOStatement","row":{"?column?":3,"0":3}}
{"emulation":0,"class":"PDOStatement","row":{"?column?":3,"0":3}}
{"no emulation":0,"class":"PDOStatement","row":{"?column?":3,"0":3}}
{"default fetch mode":0,"class":"PDOStatement","row":[3]}
{"class of statements":0,"class":"Sub","row":[3]}
{"and back":0,"class":"PDOStatement","row":[3]}
