<?php

// A short request: `?name=N` is greeted.

declare(strict_types=1);

function greet(string $name): string
{
    return 'Hello, ' . ucwords($name) . '!';
}

header('Content-Type: text/plain');
echo greet((string) ($_GET['name'] ?? 'world')), "\n";
