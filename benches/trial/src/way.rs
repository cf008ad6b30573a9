//! Ways to compare, as users start them.

use crate::{bar::Bar, layout::Layout, settings::Settings};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Rounds of md5 that A's subject does for each revolution.
const ROUNDS_OF_SUBJECT: u64 = 1000;
/// Rounds that A's command does, so that starting PHP is a small part of it.
const ROUNDS_OF_COMMAND: u64 = 400_000;

/// A way to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `phperf bench compare` of two folders.
    Bench,
    /// `phperf compare --together` of two commands.
    Commands,
}

impl Way {
    pub const ALL: [Self; 2] = [Self::Bench, Self::Commands];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Bench => "bench compare",
            Self::Commands => "compare --together",
        }
    }

    /// Its name on the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Bench => "bench",
            Self::Commands => "commands",
        }
    }

    /// Comparisons that one start of phperf makes.
    pub const fn at_once(self) -> usize {
        match self {
            Self::Bench => 10,
            Self::Commands => 1,
        }
    }

    /// `count` comparisons, as phperf's JSON has them.
    pub fn compare(self, bar: &Bar, settings: &Settings, count: usize, seed: u64) -> Result<Vec<Value>> {
        let folder = tempfile::tempdir()?;
        let json = folder.path().join("answer.json");
        let rounds = |of_a: u64| [of_a, of_a + (of_a as f64 * bar.more).round() as u64];
        let mut command = match (self, bar.layout) {
            // What runs at the same time must share the CPU fairly, which real-time priority does not do.
            (Self::Bench, Layout::Pinned) => {
                let mut command = Command::new("chrt");
                command.args(["-f", "10"]).arg(phperf()?);
                command
            }
            _ => Command::new(phperf()?),
        };
        match self {
            Self::Bench => command.args(["bench", "compare"]),
            Self::Commands => command.args(["compare", "--together", "--metric", "cpu"]),
        };
        if bar.layout == Layout::Pinned {
            command.args(["--pin", &settings.cpu.to_string()]);
        }
        command
            .args([
                "--quiet",
                "--pairs",
                &bar.pairs.to_string(),
                "--seed",
                &seed.to_string(),
            ])
            .args(["--margin", bar.margin])
            .arg("--json")
            .arg(&json);
        match self {
            Self::Bench => {
                for (name, rounds) in ["a", "b"].iter().zip(rounds(ROUNDS_OF_SUBJECT)) {
                    suite(&folder.path().join(name), count, rounds)?;
                    command.args(["--folder", name]);
                }
                command.arg(".");
            }
            Self::Commands => {
                for rounds in rounds(ROUNDS_OF_COMMAND) {
                    command
                        .args(["--", "php", "-n", "-r"])
                        .arg(work(&rounds.to_string()));
                }
            }
        }
        let output = command
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {command:?}"))?;
        ensure!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let answer: Value = serde_json::from_slice(&fs::read(&json)?)?;
        let comparisons = answer["comparisons"].as_array().cloned().unwrap_or_default();
        ensure!(
            comparisons.len() == count,
            "{count} comparisons were to be made: {answer}"
        );
        Ok(comparisons)
    }
}

fn phperf() -> Result<PathBuf> {
    let named = env::var_os("PHPERF").context("PHPERF has to name phperf: `make bench-compare` sets it")?;
    fs::canonicalize(named).context("PHPERF does not name phperf")
}

/// PHP that does some work.
fn work(rounds: &str) -> String {
    format!("for ($i = 0, $s = ''; $i < {rounds}; $i++) $s = md5($s . $i);")
}

/// A suite of subjects that all do the same.
fn suite(folder: &Path, subjects: usize, rounds: u64) -> Result<()> {
    let mut code = format!("<?php\nclass WorkBench\n{{\n    private const ROUNDS = {rounds};\n");
    for number in 0..subjects {
        let work = work("self::ROUNDS");
        writeln!(
            code,
            "    public function bench{number}() {{ {work} return $s; }}"
        )?;
    }
    fs::create_dir(folder)?;
    fs::write(folder.join("WorkBench.php"), code + "}\n")?;
    Ok(())
}
