//! A small application, with pages that misbehave.

use std::{fs, path::Path};

const FILES: [(&str, &str); 9] = [
    (
        "index.php",
        r#"<?php
// Work of several kinds; where a file named `differ` lies beside it, what only this PHP says.
function words(int $n): array {
    $words = [];
    for ($i = 0; $i < $n; $i++) { $words[] = substr(md5((string) ($i * 7919)), 0, 6); }
    sort($words);
    return $words;
}
$text = implode(' ', words(400));
echo preg_match_all('/[a-f]+[0-9]/', $text), ' ', strlen(strrev($text)), ' ', crc32($text), "\n";
if (file_exists(__DIR__ . '/differ')) { echo PHP_CONFIG_FILE_PATH, "\n"; }
"#,
    ),
    (
        "more.php",
        r#"<?php
class Node { public function __construct(public int $value, public ?Node $next) {} }
$list = null;
for ($i = 0; $i < 300 * (int) ($_GET['n'] ?? 1); $i++) { $list = new Node($i, $list); }
for ($sum = 0; $list; $list = $list->next) { $sum += $list->value; }
echo json_encode(['sum' => $sum, 'host' => $_SERVER['HTTP_HOST']]), "\n";
"#,
    ),
    (
        "job.php",
        r#"<?php
for ($i = 0, $s = ''; $i < 1000 * (int) $argv[1]; $i++) { $s = md5($s . $i); }
echo $s, "\n";
"#,
    ),
    // Answers, and is gone before it can write its counters.
    (
        "dies.php",
        "<?php echo 'well'; fastcgi_finish_request(); exec('kill -9 ' . getmypid());",
    ),
    // Ends before it answers.
    ("silent.php", "<?php exec('kill -9 ' . getmypid());"),
    (
        "fails.php",
        "<?php http_response_code(503); echo \"no database\\n\";",
    ),
    // Runs what is more than one script to who counts requests.
    (
        "starts.php",
        "<?php for ($i = 0; $i < 9; $i++) { exec(PHP_BINARY . ' -n -r 1'); } echo 'well';",
    ),
    (
        "edits.php",
        "<?php file_put_contents($argv[1], \"\\n/* edited */\\n\", FILE_APPEND);",
    ),
    (
        "waits.php",
        "<?php file_put_contents($argv[1] . '.part', getmypid()); rename($argv[1] . '.part', $argv[1]); while (true) sleep(100);",
    ),
];

pub fn write(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for (name, code) in FILES {
        fs::write(folder.join(name), code).unwrap();
    }
}
