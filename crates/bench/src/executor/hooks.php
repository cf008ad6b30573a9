<?php
// Calls static methods of a class, and says in a file whether they returned.

(function ($done) {
    ob_start(function () {
        return '';
    }, 4096);
    try {
        {{ bootstrap }}
        require_once {{ file }};
        {{ hooks }}
        file_put_contents($done, 'ok');
    } catch (\Throwable $error) {
        file_put_contents($done, get_class($error) . ': ' . $error->getMessage()
            . ' (' . basename($error->getFile()) . ':' . $error->getLine() . ')');
    }
})($argv[1]);
