<?php

// A request as most are: a little work, then a wait, as for a database, again and again. `?seconds=S` for so
// long (1 if nothing is said).

declare(strict_types=1);

function query(int $id): array
{
    usleep(5000);

    return ['id' => $id, 'title' => "row $id"];
}

function render(array $row): string
{
    return htmlspecialchars(json_encode($row, JSON_THROW_ON_ERROR));
}

$deadline = hrtime(true) + (int) ((float) ($_GET['seconds'] ?? 1) * 1e9);
$length = 0;
for ($id = 0; hrtime(true) < $deadline; $id++) {
    $length += strlen(render(query($id % 100)));
}
header('Content-Type: text/plain');
echo "result $id $length\n";
