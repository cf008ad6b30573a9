//! PHP that does some work and says how long it took.

use php::Binary;
use std::process::{Command, Stdio};
use trial::{Measured, Subject};

/// The loop runs several times, and the least counts: what disturbs it can only make it longer.
const WORK: &str = r"
    [, $rounds, $slices] = array_map(intval(...), $argv);
    $least = PHP_INT_MAX;
    for ($slice = 0; $slice < $slices; $slice++) {
        $start = hrtime(true);
        for ($i = 0, $s = ''; $i < $rounds; $i++) $s = md5($s . $i);
        $least = min($least, hrtime(true) - $start);
    }
    echo $least;
";

/// A fresh PHP for each figure, which is the time of its loop alone: what PHP takes to start is no work.
pub struct Work {
    words: Vec<String>,
}

impl Work {
    pub fn new(php: &Binary, mut words: Vec<String>, rounds: u64, slices: u64) -> Self {
        words.push(php.path.display().to_string());
        words.extend(["-n", "-r", WORK, "--", &rounds.to_string(), &slices.to_string()].map(str::to_owned));
        Self { words }
    }
}

impl Subject for Work {
    fn measure(&mut self) -> Measured {
        let output = Command::new(&self.words[0])
            .args(&self.words[1..])
            .stdin(Stdio::null())
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        said.trim().parse().map_err(|_| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("{} gave no figure: {said} {errors}", self.words[0]).into()
        })
    }
}
