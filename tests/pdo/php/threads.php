<?php
// A request to a server with threads: `threads.php MODE DSN`.
declare(strict_types=1);

require __DIR__ . '/Threaded.php';

(new Threaded($argv[1], $argv[2]))->serve();
