--TEST--
Errors look as they do without us
--EXTENSIONS--
pdo
pdo_pgsql
pdo_pool
--SKIPIF--
<?php require __DIR__ . '/skip.inc'; ?>
--FILE--
<?php
require __DIR__ . '/connect.inc';
$results = [];
foreach (['0', '256'] as $size) {
    ini_set('pdo_pool.stmt_cache_size', $size);
    foreach ([PDO::ERRMODE_EXCEPTION, PDO::ERRMODE_SILENT] as $mode) {
        $pdo = connect([PDO::ATTR_ERRMODE => $mode]);
        $pdo->exec('CREATE TEMPORARY TABLE e (a int PRIMARY KEY)');
        foreach (['SELEC 1', 'SELECT nothing', 'SELECT 1; SELECT 2', 'INSERT INTO e VALUES (1)', 'SELECT 1/(?::int)', '',
            'SELECT ?::int', "SELECT 'a'::int", "RAISE 'x'"] as $sql) {
            for ($i = 0; $i < 3; $i++) {
                try {
                    $statement = $pdo->prepare($sql);
                    $done = $statement->execute(str_contains($sql, '?') ? [$i - 1] : null);
                    $result = [$done, $statement->errorCode(), $statement->errorInfo(), $statement->rowCount(),
                        $statement->columnCount(), $statement->fetchAll()];
                } catch (Throwable $e) {
                    $result = [get_class($e), $e->getMessage(), $e->getCode(), $e->errorInfo ?? null];
                }
                $results[$size][] = json_encode([$mode, $sql, $i, $result, $pdo->errorCode(), $pdo->errorInfo()]);
            }
        }
    }
}
show(count($results['0']), array_diff($results['256'], $results['0']), array_diff($results['0'], $results['256']));
?>
--EXPECT--
54
[]
[]
