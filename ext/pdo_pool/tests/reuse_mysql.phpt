--TEST--
pdo_mysql's statements, prepared by the server, handed out again
--EXTENSIONS--
pdo
pdo_mysql
pdo_pool
--INI--
pdo_pool.reuse_statements=1
--SKIPIF--
<?php
if (!getenv('PDO_POOL_TEST_MYSQL_DSN')) {
    die('skip PDO_POOL_TEST_MYSQL_DSN (and _USER, _PASSWORD) names no server');
}
?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = new PDO(getenv('PDO_POOL_TEST_MYSQL_DSN'), getenv('PDO_POOL_TEST_MYSQL_USER') ?: null, getenv('PDO_POOL_TEST_MYSQL_PASSWORD') ?: null);
$prepared = fn() => $pdo->query("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")->fetchColumn(1);
foreach ([true, false] as $emulate) {
    $pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, $emulate);
    $before = $prepared();
    gained();
    for ($i = 0; $i < 4; $i++) {
        show(run($pdo, 'SELECT ? + 0 AS a, ? AS b', [$i, "x$i"], PDO::FETCH_ASSOC));
    }
    show($prepared() - $before, gained());
    show(fails(fn() => run($pdo, 'SELECT ? + 0 AS a, ? AS b', [])));
    show(fails(fn() => run($pdo, 'SELECT ? + 0 AS a, ? AS b', [1])));
    show(run($pdo, 'SELECT ? + 0 AS a, ? AS b', [1, null]));

    // A table that changes, rows that are left behind, a stored procedure with two results.
    $pdo->exec('CREATE OR REPLACE TEMPORARY TABLE pdo_pool_t AS SELECT 1 AS a UNION SELECT 2');
    show(run($pdo, 'SELECT * FROM pdo_pool_t'), run($pdo, 'SELECT * FROM pdo_pool_t'));
    $pdo->exec("ALTER TABLE pdo_pool_t ADD b VARCHAR(9) DEFAULT 'x'");
    show(run($pdo, 'SELECT * FROM pdo_pool_t'), run($pdo, 'SELECT * FROM pdo_pool_t', null, PDO::FETCH_ASSOC));
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
    for ($i = 0; $i < 3; $i++) {
        $statement = $pdo->prepare('SELECT * FROM pdo_pool_t');
        $statement->execute();
        show($statement->fetch(PDO::FETCH_NUM));
        unset($statement);
    }
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
    $pdo->exec('CREATE OR REPLACE PROCEDURE pdo_pool_p(x INT) BEGIN SELECT x; SELECT x + 1, x + 2; END');
    for ($i = 0; $i < 3; $i++) {
        show(run($pdo, 'CALL pdo_pool_p(?)', [$i]));
    }
    $pdo->exec('DROP PROCEDURE pdo_pool_p');
}
?>
--EXPECT--
[{"a":0,"b":"x0"}]
[{"a":1,"b":"x1"}]
[{"a":2,"b":"x2"}]
[{"a":3,"b":"x3"}]
0
{"reused":3}
"42000"
"HY093"
[[1,null]]
[[1],[2]]
[[1],[2]]
[[1,"x"],[2,"x"]]
[{"a":1,"b":"x"},{"a":2,"b":"x"}]
[1,"x"]
[1,"x"]
[1,"x"]
[[0]]
[[1]]
[[2]]
[{"a":0,"b":"x0"}]
[{"a":1,"b":"x1"}]
[{"a":2,"b":"x2"}]
[{"a":3,"b":"x3"}]
2
{"reused":3}
"HY093"
"HY093"
[[1,null]]
[[1],[2]]
[[1],[2]]
[[1,"x"],[2,"x"]]
[{"a":1,"b":"x"},{"a":2,"b":"x"}]
[1,"x"]
[1,"x"]
[1,"x"]
[[0]]
[[1]]
[[2]]
