<?php
// What an application does with statements of few texts, over and over. What it prints must not depend on whether
// objects are reused; on standard error it says how many were.
// usage: reuse.php DSN [USER]
declare(strict_types=1);

$pdo = new PDO($argv[1], $argv[2] ?? null, options: [
    PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
    PDO::ATTR_EMULATE_PREPARES => false,
    PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
]);
$pdo->exec('CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(40), price INTEGER)');

function show(string $what, mixed $value): void
{
    echo $what, ' ', json_encode($value), "\n";
}

function add(PDO $pdo, int $id, ?string $name, int $price): void
{
    try {
        $pdo->prepare('INSERT INTO item VALUES (?, ?, ?)')->execute([$id, $name, $price]);
    } catch (PDOException $error) {
        show("add $id", $error->getCode());
    }
}

function one(PDO $pdo, int $id): void
{
    $statement = $pdo->prepare('SELECT id, name, price FROM item WHERE id = :id');
    $statement->bindValue('id', $id, PDO::PARAM_INT);
    $statement->execute();
    show("one $id", [$statement->fetch(), $statement->columnCount(), $statement->errorCode()]);
}

final class Item
{
    public ?int $id = null;
    public ?string $name = null;
    public ?int $price = null;
}

for ($round = 0; $round < 20; $round++) {
    add($pdo, $round, $round % 3 === 0 ? null : "item $round", $round * $round);
    // Of a key that is there already: the next one of that text must know nothing of the error.
    add($pdo, 0, 'again', 0);
    one($pdo, $round);
    one($pdo, 1000);

    $list = 'SELECT name FROM item WHERE price >= ? ORDER BY id';
    // Left in the middle.
    $statement = $pdo->prepare($list);
    $statement->execute([0]);
    show('first', $statement->fetch());
    unset($statement);
    // Other ways to fetch, which must not stay.
    $statement = $pdo->prepare($list);
    $statement->setFetchMode(PDO::FETCH_COLUMN, 0);
    $statement->execute([4]);
    show('names', $statement->fetchAll());
    unset($statement);
    $statement = $pdo->prepare($list);
    $statement->execute([9]);
    show('rows', $statement->fetchAll());
    unset($statement);
    $statement = $pdo->prepare('SELECT id, name, price FROM item WHERE id = ?');
    $statement->setFetchMode(PDO::FETCH_CLASS, Item::class);
    $statement->execute([$round]);
    show('object', $statement->fetch());
    unset($statement);
    $statement = $pdo->prepare('SELECT id, name, price FROM item WHERE id = ?');
    $statement->execute([$round]);
    $statement->bindColumn('price', $price, PDO::PARAM_INT);
    $statement->fetch(PDO::FETCH_BOUND);
    show('bound', $price);
    unset($statement);
    $price = 'mine';
    $statement = $pdo->prepare('SELECT id, name, price FROM item WHERE id = ?');
    $statement->execute([$round]);
    show('not bound', [$statement->fetch(), $price]);
    unset($statement);
    // A parameter by reference, which must not be looked at again.
    $id = $round;
    $statement = $pdo->prepare('SELECT id, name, price FROM item WHERE id = ?');
    $statement->bindParam(1, $id);
    $statement->execute();
    show('by reference', $statement->fetch());
    unset($statement);
    $id = 1000;
    $statement = $pdo->prepare('SELECT id, name, price FROM item WHERE id = ?');
    try {
        show('without a parameter', $statement->execute() ? $statement->fetch() : false);
    } catch (PDOException $error) {
        show('without a parameter', $error->getCode());
    }
    unset($statement);

    // Two of one text at once, and one that outlives what prepared it.
    [$one, $two] = [$pdo->prepare($list), $pdo->prepare($list)];
    $one->execute([0]);
    $two->execute([100]);
    show('two', [$one->fetchAll(PDO::FETCH_COLUMN), $two->fetchAll(PDO::FETCH_COLUMN)]);
    unset($one, $two);
    $kept[] = $pdo->prepare($list);
    if ($round % 5 === 4) {
        foreach ($kept as $statement) {
            $statement->execute([200]);
            show('kept', count($statement->fetchAll()));
        }
        unset($kept, $statement);
    }

    $pdo->beginTransaction();
    add($pdo, 500 + $round, 'for a moment', 1);
    one($pdo, 500 + $round);
    $pdo->rollBack();
    one($pdo, 500 + $round);
    foreach ($pdo->query('SELECT count(*) AS number FROM item') as $row) {
        show('number', (int) $row['number']);
    }
}
fwrite(STDERR, 'reused ' . (function_exists('pdo_pool_stats') ? pdo_pool_stats()['reused'] : 0) . "\n");
