<?php
// Lists the benchmarks of many files in one process: one line of JSON for each file.
//
// Arguments: a file with what is asked, a file for the answers. A line that says which file is begun comes before
// the file is loaded, so that a fatal error has a culprit.

namespace PhperfBench;

require __DIR__ . '/annotations.php';
require __DIR__ . '/directive.php';
require __DIR__ . '/benchmark.php';
require __DIR__ . '/parameters.php';

final class Answer
{
    private static $file;

    public static function open(string $path): void
    {
        self::$file = fopen($path, 'ab');
    }

    public static function say(array $line): void
    {
        fwrite(self::$file, json_encode($line, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR) . "\n");
    }

    public static function words(\Throwable $error): string
    {
        $where = basename($error->getFile()) . ':' . $error->getLine();
        return $error instanceof \InvalidArgumentException && $error->getFile() !== '' && strpos($error->getFile(), __DIR__) === 0
            ? $error->getMessage()
            : get_class($error) . ': ' . $error->getMessage() . " ($where)";
    }
}

function environment(): array
{
    $opcache = function_exists('opcache_get_status') ? @opcache_get_status(false) : false;
    $on = is_array($opcache) && !empty($opcache['opcache_enabled']);
    return [
        'version' => PHP_VERSION,
        'binary' => PHP_BINARY,
        'ini' => php_ini_loaded_file() ?: '',
        'zts' => (bool) PHP_ZTS,
        'debug' => (bool) PHP_DEBUG,
        'xdebug' => extension_loaded('xdebug'),
        'extensions' => get_loaded_extensions(),
        'opcache' => $on,
        'jit' => $on && !empty($opcache['jit']['on']),
        'fork' => function_exists('pcntl_fork') && function_exists('posix_setpgid') && function_exists('posix_kill'),
        'hrtime' => function_exists('hrtime'),
    ];
}

/** The first class of a file. */
function classOf(string $file): ?\ReflectionClass
{
    $first = null;
    foreach (get_declared_classes() as $name) {
        $class = new \ReflectionClass($name);
        if ($class->getFileName() === $file && !$class->isAnonymous()
            && ($first === null || $class->getStartLine() < $first->getStartLine())) {
            $first = $class;
        }
    }
    return $first;
}

(function (string $question, string $answer) {
    Answer::open($answer);
    register_shutdown_function(function () {
        $error = error_get_last();
        if ($error !== null && $error['type'] & (E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR)) {
            Answer::say(['fatal' => $error['message'] . ' (' . basename($error['file']) . ':' . $error['line'] . ')']);
        }
    });
    // What the files print is nobody's business here.
    ob_start(function () {
        return '';
    }, 4096);
    $asked = json_decode(file_get_contents($question));
    Answer::say(['environment' => environment()]);
    if ($asked->bootstrap !== null) {
        Answer::say(['bootstrap' => $asked->bootstrap]);
        try {
            (static function () use ($asked) {
                require_once $asked->bootstrap;
            })();
        } catch (\Throwable $error) {
            Answer::say(['fatal' => Answer::words($error)]);
            return;
        }
    }
    foreach ($asked->files as $file) {
        Answer::say(['begin' => $file]);
        try {
            (static function () use ($file) {
                require_once $file;
            })();
            $class = classOf($file);
            Answer::say(['file' => $file, 'found' => $class === null || $class->isAbstract()
                ? null
                : (new Benchmark($class, $asked))->describe()]);
        } catch (\Throwable $error) {
            Answer::say(['file' => $file, 'error' => Answer::words($error)]);
        }
    }
    Answer::say(['end' => true]);
})($argv[1], $argv[2]);
