<?php
// One of several clients of a pooler: statements outside and inside of transactions, each answer looked at.
// Prints how many were right, wrong (another answer) and lost (an error).
// usage: clients.php DSN SEED STATEMENTS TRANSACTIONS
declare(strict_types=1);

[, $dsn, $seed, $statements, $transactions] = $argv;
mt_srand((int) $seed);
$said = ['right' => 0, 'wrong' => 0, 'lost' => 0, 'errors' => []];

// Texts that differ in what they answer, and in the types of what they are given.
function texts(): array
{
    return [
        ['SELECT ?::int + ?::int', static fn ($a, $b) => [$a, $b], static fn ($a, $b) => $a + $b],
        ['SELECT ?::int - ?::int', static fn ($a, $b) => [$a, $b], static fn ($a, $b) => $a - $b],
        ['SELECT ?::int * ?::int', static fn ($a, $b) => [$a, $b], static fn ($a, $b) => $a * $b],
        ['SELECT ?::text || ?::text', static fn ($a, $b) => ["a$a", "b$b"], static fn ($a, $b) => "a{$a}b$b"],
        ['SELECT (?::int > ?::int)::int', static fn ($a, $b) => [$a, $b], static fn ($a, $b) => (int) ($a > $b)],
        ['SELECT max(i) FROM generate_series(1, ?::int + ?::int) i', static fn ($a, $b) => [$a, $b], static fn ($a, $b) => $a + $b],
        ['SELECT count(*) FROM item WHERE id <= ? AND id > ?', static fn ($a, $b) => [$a, 0], static fn ($a, $b) => min($a, 100)],
        ['SELECT name FROM item WHERE id = ? AND ? > 0', static fn ($a, $b) => [1 + $a % 100, $b], static fn ($a, $b) => 'item ' . (1 + $a % 100)],
    ];
}

function ask(PDO $pdo, array &$said): void
{
    [$sql, $given, $due] = texts()[mt_rand(0, 7)];
    [$a, $b] = [mt_rand(1, 99), mt_rand(1, 99)];
    $statement = $pdo->prepare($sql);
    $statement->execute($given($a, $b));
    $answers = $statement->fetchAll(PDO::FETCH_COLUMN);
    $said[count($answers) === 1 && (string) $answers[0] === (string) $due($a, $b) ? 'right' : 'wrong']++;
}

$pdo = new PDO($dsn, options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
echo "ready\n";
fgets(STDIN);
for ($i = 0; $i < (int) $statements; $i++) {
    try {
        ask($pdo, $said);
    } catch (PDOException $error) {
        $said['lost']++;
        $said['errors'][substr($error->getMessage(), 0, 60)] = 1;
    }
}
for ($i = 0; $i < (int) $transactions; $i++) {
    $inside = ['right' => 0, 'wrong' => 0];
    try {
        $pdo->beginTransaction();
        for ($k = 0; $k < 3; $k++) {
            ask($pdo, $inside);
        }
        $pdo->prepare('INSERT INTO written (client, number) VALUES (?, ?)')->execute([(int) $seed, $i]);
        $pdo->commit();
        $said['right'] += $inside['wrong'] === 0 ? 1 : 0;
        $said['wrong'] += $inside['wrong'] === 0 ? 0 : 1;
    } catch (PDOException $error) {
        $said['lost']++;
        $said['errors'][substr($error->getMessage(), 0, 60)] = 1;
        try {
            $pdo->rollBack();
        } catch (PDOException) {
        }
    }
}
$said['errors'] = array_keys($said['errors']);
echo 'said ', json_encode($said), "\n";
