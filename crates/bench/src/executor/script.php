<?php
// Takes the samples of one variant. A line of JSON on the socket asks for an iteration, at once or in a fork.

{{ clock }}
{{ empty }}
{{ twin }}
{{ sample }}

final class PhperfEmptySubject
{
    public function run{{ empty_signature }}
    {
    }
}

final class PhperfTwinSubject
{
    public function run{{ empty_signature }}
    {
    }
}

/** Says that the measured loop begins, or is over, and waits until whoever records or counts it is ready. */
final class PhperfGate
{
    private static $channel;

    public static function open($channel)
    {
        self::$channel = $channel;
    }

    public static function pass($where)
    {
        if (self::$channel !== null) {
            phperf_say(self::$channel, ['gate' => $where, 'pid' => getmypid()]);
            fgets(self::$channel);
        }
    }
}

final class PhperfIteration
{
    private $channel;
    private $asked;
    private $parameters;
    private $pid;
    private $reported = false;

    public function __construct($channel, array $asked, array $parameters)
    {
        $this->channel = $channel;
        $this->asked = $asked;
        $this->parameters = $parameters;
        $this->pid = getmypid();
    }

    public function run()
    {
        register_shutdown_function([$this, 'shutdown']);
        try {
            $subject = new {{ class }}();
            $overhead = $this->asked['calibrate'] ? $this->calibrate() : null;
            if ($this->asked['gate']) {
                PhperfGate::open($this->channel);
            }
            $result = phperf_sample($subject, $this->parameters, $this->asked['revs'], $this->asked['warmup']);
        } catch (\Throwable $error) {
            $this->report([
                'error' => get_class($error) . ': ' . $error->getMessage()
                    . ' (' . basename($error->getFile()) . ':' . $error->getLine() . ')',
                'detail' => $error->getTraceAsString(),
            ]);
            return;
        }
        if (getmypid() !== $this->pid) {
            $this->report(['error' => 'it forks, and lets the child return: end the child within the subject']);
            return;
        }
        $this->waitForChildren();
        $this->report(['result' => (object) $result, 'overhead' => $overhead]);
    }

    /** Gives what the subject started a moment to end, or to turn out to be a copy of this process. */
    private function waitForChildren()
    {
        for ($i = 0; $i < 50 && function_exists('pcntl_waitpid') && pcntl_waitpid(-1, $status, WNOHANG) === 0; $i++) {
            usleep(2000);
        }
    }

    /** What the clock costs, and an empty subject in the same loop: nanoseconds, averages of the middle third. */
    private function calibrate()
    {
        $revs = max(1, min($this->asked['revs'], 1000));
        $empty = new PhperfEmptySubject();
        $clocks = $costs = [];
        for ($i = 0; $i < 33; $i++) {
            $clocks[] = phperf_clock($empty, $this->parameters, $revs, 0)['sample'] ?? null;
        }
        for ($i = 0; $i < 15; $i++) {
            $costs[] = phperf_empty($empty, $this->parameters, $revs, 0)['sample'] ?? null;
        }
        // Code that runs for the first time costs more, as the subject's will: a twin of it does so just before.
        $first = phperf_twin(new PhperfTwinSubject(), $this->parameters, $revs, min($this->asked['warmup'], 10))['sample'] ?? null;
        return ['clock' => $this->middle($clocks), 'empty' => $this->middle($costs), 'first' => $first, 'revs' => $revs];
    }

    private function middle(array $values)
    {
        sort($values);
        $third = intdiv(count($values), 3);
        return array_sum(array_slice($values, $third, count($values) - 2 * $third)) / (count($values) - 2 * $third);
    }

    private function report(array $said)
    {
        $this->reported = true;
        $output = '';
        while (ob_get_level() > 0) {
            $output = ob_get_clean() . $output;
        }
        $said['output'] = substr($output, 0, 1000);
        $said['of'] = $this->pid;
        phperf_say($this->channel, $said);
    }

    public function shutdown()
    {
        if (getmypid() !== $this->pid) {
            // A child of the subject that ends is none of our business.
            phperf_end();
        }
        if ($this->reported) {
            return;
        }
        $error = error_get_last();
        $fatal = $error !== null && $error['type'] & (E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR);
        $this->report(['error' => $fatal
            ? strtok($error['message'], "\n") . ' (' . basename($error['file']) . ':' . $error['line'] . ')'
            : 'it ends PHP (exit) instead of returning']);
        if ($this->asked['fork']) {
            phperf_end();
        }
    }
}

function phperf_say($channel, array $line)
{
    fwrite($channel, json_encode($line, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR) . "\n");
}

/** Ends this process, and with it whatever it started: at once, since an orderly end takes 30 ms. */
function phperf_end()
{
    posix_kill(posix_getpgrp() === getmypid() ? 0 : getmypid(), 9);
    exit;
}

/** Waits until an iteration is gone; the signal that ended it, or 0. */
function phperf_reap($pid)
{
    pcntl_waitpid($pid, $status);
    return pcntl_wifsignaled($status) ? pcntl_wtermsig($status) : 0;
}

(function ($path) {
    gc_disable();
    $channel = stream_socket_client('unix://' . $path, $number, $error);
    if ($channel === false) {
        fwrite(STDERR, "cannot connect: $error\n");
        exit(1);
    }
    $loaded = false;
    register_shutdown_function(function () use ($channel, &$loaded) {
        if (!$loaded) {
            $error = error_get_last();
            phperf_say($channel, ['error' => $error === null ? 'its code ends PHP while it is loaded' : $error['message']]);
        }
    });
    ob_start();
    try {
        {{ bootstrap }}
        require_once {{ file }};
        $parameters = {{ parameters }};
    } catch (\Throwable $error) {
        $loaded = true;
        phperf_say($channel, ['error' => get_class($error) . ': ' . $error->getMessage()]);
        exit(1);
    }
    $loaded = true;
    phperf_say($channel, ['ready' => getmypid()]);
    $gate = function_exists('pcntl_fork') ? stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) : null;
    $before = 0;
    while (($line = fgets($channel)) !== false) {
        $asked = json_decode($line, true);
        if (isset($asked['reap'])) {
            phperf_say($channel, ['ended' => phperf_reap($before)]);
            $before = 0;
            continue;
        }
        if (!$asked['fork']) {
            (new PhperfIteration($channel, $asked, $parameters))->run();
            return;
        }
        $pid = pcntl_fork();
        if ($pid === 0) {
            posix_setpgid(0, 0);
            if ($before !== 0) {
                fgets($gate[0]);
            }
            (new PhperfIteration($channel, $asked, $parameters))->run();
            phperf_end();
        }
        if ($pid < 0) {
            phperf_say($channel, ['error' => 'PHP cannot fork: ' . pcntl_strerror(pcntl_get_last_error()), 'ended' => 0]);
            continue;
        }
        phperf_say($channel, ['pid' => $pid]);
        if ($before !== 0) {
            // The kernel took the one before away while this one was made; no sample is taken before that is done.
            phperf_reap($before);
            fwrite($gate[1], "\n");
        }
        $before = $pid;
        if ($asked['settle']) {
            phperf_say($channel, ['ended' => phperf_reap($before)]);
            $before = 0;
        }
    }
    // Nobody asks for more. What the user's code registered for the end is not to run here.
    phperf_end();
})($argv[1]);
