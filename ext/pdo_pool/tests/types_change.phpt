--TEST--
Another connection changes the types of columns that parameters got theirs from
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect();
$other = connect();
$alter = fn(string $type, string $using) => $other->exec("ALTER TABLE changes ALTER v TYPE $type USING $using");
$other->exec('DROP TABLE IF EXISTS changes');
$other->exec('CREATE TABLE changes (v text)');
$add = fn($v) => run($pdo, 'INSERT INTO changes VALUES (?)', [$v]);
$find = fn($v) => run($pdo, 'SELECT count(*) FROM changes WHERE v = ?', [$v]);
$kept = $pdo->prepare('DELETE FROM changes WHERE v = ?');
for ($i = 0; $i < 3; $i++) {
    $add('5');
    $find('5');
    $kept->execute(['6']);
}
gained();

// The statement no longer makes sense with the old types.
$alter('bigint', 'v::bigint');
show($find('5'), $add('5'), $kept->execute(['6']), gained());
show($find('5'), $add('5'), $kept->execute(['6']), gained());
show($find('5'), $add('5'), $kept->execute(['6']), gained());

// The statement does, but a value does not.
$alter('text', 'v::text');
show($find('five'), $add('five'), $kept->execute(['six']), gained());
show($find('five'), $add('five'), $kept->execute(['six']), gained());

// In a transaction: it is lost, once.
$other->exec('TRUNCATE changes');
$find('5');
gained();
$alter('bigint', 'v::bigint');
for ($i = 0; $i < 2; $i++) {
    $pdo->beginTransaction();
    show(fails(fn() => show($find('5'))));
    $pdo->rollBack();
}
show(gained());

// What is wrong in itself stays so, and costs no name.
show($find('5'), $find('5'));
gained();
for ($i = 0; $i < 2; $i++) {
    show(fails(fn() => $find('five')));
}
show(gained(), $find('5'), gained());

// What fails later than that is not done twice.
$other->exec('DROP SEQUENCE IF EXISTS changes_seen');
$other->exec('CREATE SEQUENCE changes_seen');
$divide = fn($by) => run($pdo, 'SELECT 1 / (?::int + 0 * nextval(\'changes_seen\'))', [$by]);
for ($i = 0; $i < 3; $i++) {
    $divide(1);
}
show(fails(fn() => $divide(0)), ask($other, 'SELECT last_value FROM changes_seen'));
$other->exec('DROP SEQUENCE changes_seen');
$other->exec('DROP TABLE changes');
?>
--EXPECT--
[[3]]
[[]]
true
{"unnamed":3,"reprepares":3,"retries":3}
[[4]]
[[]]
true
{"misses":3}
[[5]]
[[]]
true
{"hits":3}
[[0]]
[[]]
true
{"unnamed":3,"reprepares":3,"retries":3}
[[1]]
[[]]
true
{"misses":3}
"42883"
[[0]]
"no error"
{"hits":1,"unnamed":1,"reprepares":1}
[[0]]
[[0]]
"22P02"
"22P02"
{"unnamed":2,"retries":2}
[[0]]
{"hits":1}
"22012"
[4]
