--TEST--
Outside of fibers a pool is one connection
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
$pdo = pool();
show($pdo->errorCode());
$pdo->exec("SET application_name = 'mine'; CREATE TEMPORARY TABLE t (id serial, x int)");
$insert = $pdo->prepare('INSERT INTO t (x) VALUES (:x)');
$pid = pid($pdo);
for ($i = 1; $i < 5; $i++) {
    $insert->execute(['x' => $i]);
    show($pdo->lastInsertId(), $pdo->lastInsertId('t_id_seq'));
}
show($pid === pid($pdo), run($pdo, 'SELECT sum(x), current_setting(?) FROM t', ['application_name']));
show($pdo->beginTransaction(), $pdo->inTransaction(), $pdo->exec('DELETE FROM t'));
show(message(fn() => $pdo->beginTransaction()));
show($pdo->rollBack(), $pdo->inTransaction(), message(fn() => $pdo->commit()), $pdo->query('SELECT count(*) FROM t')->fetchColumn());
$pdo->exec('BEGIN');
show($pdo->inTransaction(), $pdo->commit(), $pdo->inTransaction());

show(fails(fn() => $pdo->query('SELECT nothing')), $pdo->errorCode(), $pdo->errorInfo()[0]);
show(fails(fn() => $pdo->exec('nonsense')), $pdo->errorCode(), $pdo->query('SELECT 1')->fetchColumn(), $pdo->errorCode());
$pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_SILENT);
show($pdo->query('SELECT nothing'), $pdo->errorInfo()[0], $pdo->quote("it's"));

$emulated = $pdo->prepare('SELECT ?, x FROM t WHERE x < ? ORDER BY x', [PDO::ATTR_EMULATE_PREPARES => true]);
$emulated->bindValue(1, 'a');
$emulated->bindValue(2, 3, PDO::PARAM_INT);
$emulated->execute();
show($emulated->fetchAll(PDO::FETCH_NUM), $emulated->getColumnMeta(1)['native_type']);
show(stats($pdo, 'open', 'in_use', 'opened'));
gained();
run($pdo, 'SELECT 5');
run($pdo, 'SELECT 5');
run($pdo, 'SELECT 5');
show(array_diff_key(gained(), ['connections' => 0]));

$off = pool([PDO::ATTR_POOL_STMT_CACHE_SIZE => 0]);
run($off, 'SELECT ?::int', [1]);
run($off, 'SELECT ?::int', [1]);
show(prepared($off), stats($off, 'cached', 'capacity'));
?>
--EXPECT--
null
"1"
"1"
"2"
"2"
"3"
"3"
"4"
"4"
true
[[10,"mine"]]
true
true
4
"PDOException: There is already an active transaction"
true
false
"PDOException: There is no active transaction"
4
true
true
false
"42703"
"42703"
"42703"
"42601"
"42601"
1
"00000"
false
"42703"
"'it''s'"
[["a",1],["a",2]]
"int4"
{"open":1,"in_use":0,"opened":1}
{"hits":1,"misses":1,"unnamed":1}
[]
{"cached":false,"capacity":0}
