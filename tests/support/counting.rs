//! A program of which everything that it holds is known.

use super::{Script, script};
use std::path::Path;

/// In `script.php`: `step` doubles `$n`, says it in a text, halves it in a list, and does something in line [`CALL`];
/// `<main>` counts `$n` up for it in `$counter`.
pub const SOURCE: &str = r#"<?php
function inner(int $n) {
    for ($i = 0, $sum = 0; $i < 3000; $i++) {
        $sum += $i;
    }
    return $sum;
}
function step(int $n) {
    $twice = $n * 2;
    $text = "n is $n";
    $list = [$n, ['half' => $n / 2]];
    WORK;
    return $twice;
}
$counter = 0;
echo "ready\n";
while (true) {
    $counter++;
    step($counter);
}
"#;

/// The line of `step` in which it does something.
pub const CALL: u32 = 12;
/// The last line of all.
pub const END: u32 = 20;

/// What `step` does.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    Computes,
    Waits,
}

impl Work {
    /// Starts it in this folder.
    pub fn start(self, folder: &Path) -> Script {
        let work = match self {
            Self::Computes => "inner($n)",
            Self::Waits => "usleep(100)",
        };
        script(folder, &SOURCE.replace("WORK", work))
    }
}
