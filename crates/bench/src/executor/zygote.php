<?php
// Forks a process for each line of JSON on the socket, which takes the samples of a script. What they have in common, such
// as where PHP and its libraries lie in memory, makes none of them faster than another.

$argv = (static function (string $path) {
    $channel = stream_socket_client('unix://' . $path, $number, $error);
    if ($channel === false) {
        fwrite(STDERR, "cannot connect: $error\n");
        exit(1);
    }
    $say = static function (array $line) use ($channel) {
        fwrite($channel, json_encode($line) . "\n");
    };
    $say(['ready' => getmypid()]);
    while (($line = fgets($channel)) !== false) {
        $asked = json_decode($line, true);
        $pid = pcntl_fork();
        if ($pid === 0) {
            fclose($channel);
            chdir($asked['folder']);
            return [$asked['script'], $asked['socket']];
        }
        $say($pid > 0 ? ['pid' => $pid] : ['error' => 'PHP cannot fork: ' . pcntl_strerror(pcntl_get_last_error())]);
    }
    posix_kill(getmypid(), 9);
    exit;
})($argv[1]);
$_SERVER['argv'] = $argv;
require $argv[0];
