<?php
// Fibers that need connections of a pool, over TLS and with a password, while another one counts its own turns.
// usage: tls.php DSN USER PASSWORD
declare(strict_types=1);

[, $dsn, $user, $password] = $argv;
$options = [PDO::ATTR_POOL_ENABLED => true, PDO::ATTR_POOL_MAX => 3];
$pdo = new PDO($dsn, $user, $password, $options);
$encrypted = static function () use ($pdo): int {
    // Held, so that each has its own.
    $pdo->beginTransaction();
    $encrypted = $pdo->query('SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()')->fetchColumn();
    while (pdo_pool_stats($pdo)['open'] < 3) {
        Fiber::suspend();
    }
    $pdo->rollBack();
    return (int) $encrypted;
};
$turns = 0;
[$one, $two, $three] = pdo_pool_run($encrypted, $encrypted, $encrypted, static function () use ($pdo, &$turns): void {
    for (; pdo_pool_stats($pdo)['open'] < 2; $turns++) {
        Fiber::suspend();
    }
});
echo $one + $two + $three, " connections are encrypted\n";
// It has come before them as often as each had to wait for the server, which is more than once.
echo $turns > 1 ? "the others went on\n" : "the others stood still\n";

// Its first connection is made; the password is changed before it needs another.
$pool = new PDO($dsn, $user, $password, $options);
$pool->exec("ALTER ROLE app PASSWORD 'other'");
$again = static function () use ($pool): string {
    try {
        $pool->beginTransaction();
        Fiber::suspend();
    } catch (PDOException $error) {
        return $error->errorInfo[0];
    }
    return 'no error';
};
echo 'a wrong password: ', max(pdo_pool_run($again, $again)), "\n";
