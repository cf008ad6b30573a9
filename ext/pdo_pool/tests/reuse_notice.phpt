--TEST--
What the server tells while a statement is executed again calls a function that forgets the statement
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--INI--
pdo_pool.reuse_statements=1
--SKIPIF--
<?php
require __DIR__ . '/skip.inc';
if (PHP_VERSION_ID < 80400) {
    die('skip notices are told since PHP 8.4');
}
?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$pdo = connect(class: Pdo\Pgsql::class);
$pdo->exec("CREATE FUNCTION pg_temp.tell(number int) RETURNS int LANGUAGE plpgsql AS $$
    BEGIN
        RAISE NOTICE 'told';
        IF number = 8 THEN
            RAISE EXCEPTION 'failed';
        END IF;
        RETURN number;
    END $$");
$forget = false;
$pdo->setNoticeCallback(function (string $message) use ($pdo, &$forget) {
    if ($forget) {
        $pdo->setAttribute(PDO::ATTR_CASE, PDO::CASE_NATURAL);
    }
});
for ($i = 0; $i < 12; $i++) {
    $forget = $i % 4 === 0;
    show(fails(fn() => show(run($pdo, 'SELECT pg_temp.tell(?)', [$i]))));
}
$pdo->setNoticeCallback(null); // which has $pdo: a circle that PHP 8.4 itself does not collect
?>
--EXPECT--
[[0]]
"no error"
[[1]]
"no error"
[[2]]
"no error"
[[3]]
"no error"
[[4]]
"no error"
[[5]]
"no error"
[[6]]
"no error"
[[7]]
"no error"
"P0001"
[[9]]
"no error"
[[10]]
"no error"
[[11]]
"no error"
