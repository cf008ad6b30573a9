<?php
// What the programs of these tests share. Whatever they print has to be the same with the extension and without it.
declare(strict_types=1);

error_reporting(E_ALL & ~E_DEPRECATED); // libraries are older than this PHP

/** @return array<string, string> the parts of a DSN of PDO */
function parts(string $dsn): array
{
    parse_str(str_replace(';', '&', substr($dsn, strlen('pgsql:'))), $parts);
    return $parts;
}

function show(string $what, mixed $value): void
{
    echo $what, ': ', json_encode($value, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION), "\n";
}

/** The class of what `$do` throws. */
function thrown(callable $do): string
{
    try {
        $do();
    } catch (Throwable $error) {
        return get_class($error);
    }
    return 'nothing';
}

/** Ends a connection of somebody else, over one that is not counted. */
function kill(string $dsn, int $pid): void
{
    (new PDO($dsn))->query("SELECT pg_terminate_backend($pid, 10000)")->fetchAll();
}

/** On standard error, as it is not the same. */
function told(): void
{
    fwrite(STDERR, json_encode(function_exists('pdo_pool_stats') ? pdo_pool_stats() : null) . "\n");
}
