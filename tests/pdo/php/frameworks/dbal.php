<?php
// What applications do with Doctrine DBAL.
// usage: dbal.php DSN DIRECT_DSN prepared|as-it-is
declare(strict_types=1);

use Doctrine\DBAL\ArrayParameterType;
use Doctrine\DBAL\Connection;
use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\ParameterType;

require '/usr/share/php/Doctrine/DBAL/autoload.php';
require __DIR__ . '/common.php';

[, $dsn, $direct, $how] = $argv;
$connection = DriverManager::getConnection(parts($dsn) + [
    'driver' => 'pdo_pgsql',
    'driverOptions' => $how === 'prepared' ? [PDO::PGSQL_ATTR_DISABLE_PREPARES => false] : [],
]);
$connection->setNestTransactionsWithSavepoints(true);
$connection->executeStatement('CREATE TABLE item (id serial PRIMARY KEY, name text UNIQUE, price numeric, sold bool)');

for ($i = 1; $i <= 30; $i++) {
    $connection->insert('item', ['name' => "item $i", 'price' => $i / 4, 'sold' => $i % 2 === 0], ['sold' => ParameterType::BOOLEAN]);
}
show('last id', $connection->lastInsertId());
for ($i = 1; $i <= 30; $i++) {
    show('one', $connection->fetchAssociative('SELECT * FROM item WHERE id = ? AND sold = ?', [$i, true], [1 => ParameterType::BOOLEAN]));
    show('named', $connection->fetchOne('SELECT price FROM item WHERE name = :name', ['name' => "item $i"]));
}
foreach ([[1, 2], [3, 4], [5, 6, 7]] as $ids) {
    show('some', $connection->fetchFirstColumn(
        'SELECT name FROM item WHERE id IN (?) ORDER BY id', [$ids],
        [class_exists(ArrayParameterType::class) ? ArrayParameterType::INTEGER : Connection::PARAM_INT_ARRAY],
    ));
}
for ($from = 0; $from < 30; $from += 10) {
    foreach ($connection->iterateKeyValue('SELECT id, name FROM item WHERE id > ? ORDER BY id LIMIT 10', [$from]) as $id => $name) {
        show('chunk', [$id, $name]);
    }
}
$builder = $connection->createQueryBuilder()->select('count(*)', 'sum(price)')->from('item')->where('sold = :sold');
show('built', $builder->setParameter('sold', false, ParameterType::BOOLEAN)->fetchNumeric());

// Transactions, savepoints, exceptions.
show('twice', thrown(fn () => $connection->insert('item', ['name' => 'item 1'])));
show('outer', thrown(fn () => $connection->transactional(function (Connection $connection) {
    $connection->update('item', ['price' => 100], ['id' => 1]);
    show('inner', thrown(fn () => $connection->transactional(function (Connection $connection) {
        $connection->update('item', ['price' => 200], ['id' => 1]);
        $connection->insert('item', ['name' => 'item 2']);
    })));
    show('between', $connection->fetchOne('SELECT price FROM item WHERE id = ?', [1]));
})));
show('after', $connection->fetchOne('SELECT price FROM item WHERE id = ?', [1]));
show('rolled back', thrown(fn () => $connection->transactional(function (Connection $connection) {
    $connection->delete('item', ['id' => 1]);
    throw new DomainException();
})));
show('still there', $connection->fetchOne('SELECT price FROM item WHERE id = ?', [1]));

// A migration, and a connection that breaks.
$statement = $connection->prepare('SELECT * FROM item WHERE id = ?');
foreach ([1, 2, 3] as $id) {
    $statement->bindValue(1, $id);
    show('before', $statement->executeQuery()->fetchAssociative());
}
$connection->executeStatement('ALTER TABLE item ADD COLUMN note text DEFAULT \'new\'');
show('behind', $connection->fetchAssociative('SELECT * FROM item WHERE id = ?', [2]));
kill($direct, (int) $connection->fetchOne('SELECT pg_backend_pid()'));
show('broken', thrown(fn () => $connection->fetchOne('SELECT name FROM item WHERE id = ?', [3])) !== 'nothing');
$connection->close();
for ($i = 1; $i <= 5; $i++) {
    show('again', $connection->fetchAllAssociative('SELECT * FROM item WHERE id = ?', [$i]));
}
told();
