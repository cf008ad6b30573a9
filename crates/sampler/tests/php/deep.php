<?php
function deeper(int $n): void
{
    if ($n > 0) {
        deeper($n - 1);
    }
    echo "ready\n";
    fgets(STDIN);
}
deeper((int) $argv[1]);
