--TEST--
lastInsertId() never answers for another fiber
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . "/skip.inc"; ?>
--FILE--
<?php
require __DIR__ . '/pool.inc';
$pdo = pool([PDO::ATTR_POOL_MAX => 2]);
$pdo->exec('DROP TABLE IF EXISTS pool_ids; CREATE TABLE pool_ids (id serial PRIMARY KEY, who text)');
$insert = function (string $who) use (&$pdo): void {
    $pdo->prepare('INSERT INTO pool_ids (who) VALUES (?)')->execute([$who]);
};
$who = function (callable $id) use (&$pdo): string {
    try {
        return run($pdo, 'SELECT who FROM pool_ids WHERE id = ?', [$id()])[0][0];
    } catch (PDOException $e) {
        return $e->errorInfo[0];
    }
};
$last = function () use (&$pdo) {
    return $pdo->lastInsertId();
};
$named = function () use (&$pdo) {
    return $pdo->lastInsertId('pool_ids_id_seq');
};

// Right behind it, in its transaction, and as long as no other fiber had the connection.
$insert('main');
show($who($last), $who($named), $who($last));

// The connection of the INSERT went to another fiber, and the one that came is another, or the same after another's INSERT.
foreach ([1, 2] as $most) {
    $pdo = pool([PDO::ATTR_POOL_MAX => $most]);
    $step = 0;
    $until = function (int $reached) use (&$step) {
        while ($step < $reached) {
            Fiber::suspend();
        }
    };
    $tasks = [function () use ($pdo, $insert, $who, $last, $named, $until, &$step) {
        $insert('a');
        $step = 1;
        $until(2);
        run($pdo, 'SELECT 1');
        return [$who($last), $who($named)];
    }, function () use ($pdo, $insert, $until, &$step, $most) {
        $until(1);
        $pdo->beginTransaction();
        $insert('b');
        if ($most == 1) {
            $pdo->commit();
        }
        $step = max($step, 2); // the third may have been first
        $most == 1 || $until(3);
        return $pdo->inTransaction() && $pdo->commit();
    }, function () use ($pdo, $insert, $until, &$step) {
        $until(1);
        $pdo->beginTransaction();
        $insert('c');
        $pdo->commit();
        $step = max($step, 3);
        return $pdo->inTransaction();
    }];
    // When one fails, nobody is to wait for it for ever.
    foreach ($tasks as &$task) {
        $task = function () use ($task, &$step) {
            try {
                return $task();
            } catch (PDOException $e) {
                $step = PHP_INT_MAX;
                throw $e;
            }
        };
    }
    unset($task);
    show(pdo_pool_run(...$tasks));
}

// Who inserted nothing has nothing to ask for.
show(pdo_pool_run(function () use ($pdo, $who, $last) {
    run($pdo, 'SELECT 1');
    return $who($last);
}));
// What else draws.
$pdo = pool([PDO::ATTR_POOL_MAX => 1]);
show(pdo_pool_run(...array_map(fn($sql) => function () use ($pdo, $sql) {
    $pdo->exec($sql);
    return is_numeric($pdo->lastInsertId());
}, ["WITH i AS (INSERT INTO pool_ids (who) VALUES ('with') RETURNING id) SELECT * FROM i",
    "SELECT NEXTVAL('pool_ids_id_seq')", "SELECT 1; insert into pool_ids (who) values ('second')"])));
?>
--CLEAN--
<?php
require __DIR__ . '/connect.inc';
connect()->exec('DROP TABLE IF EXISTS pool_ids');
?>
--EXPECT--
"main"
"main"
"main"
[["55000","55000"],false,false]
[["55000","55000"],true,false]
["55000"]
[true,true,true]
