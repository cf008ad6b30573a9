//! The programs that are measured, and how they are asked.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// phperf, perhaps `PHPBench`, and a folder for scratch files.
pub struct Tool<'a> {
    phperf: PathBuf,
    phpbench: Option<PathBuf>,
    /// An empty folder.
    pub scratch: &'a Path,
}

impl<'a> Tool<'a> {
    /// `PHPERF` names phperf, `PHPBENCH` the peer.
    pub fn from_environment(scratch: &'a Path) -> Result<Self> {
        let phperf =
            env::var_os("PHPERF").context("PHPERF has to name phperf: `make bench-bench` sets it")?;
        Ok(Self {
            phperf: fs::canonicalize(phperf).context("PHPERF does not name phperf")?,
            phpbench: env::var_os("PHPBENCH").map(PathBuf::from),
            scratch,
        })
    }

    /// Runs a suite; its variants as `--json` writes them.
    pub fn variants(&self, suite: &Path, arguments: &[&str]) -> Result<Vec<Value>> {
        let json = self.scratch.join("suite.json");
        let mut command = Command::new(&self.phperf);
        command
            .args(["bench", "run", "-q", "--json"])
            .arg(&json)
            .arg(suite)
            .args(arguments);
        self.time(&mut command)?;
        let suite: Value = serde_json::from_slice(&fs::read(&json)?)?;
        let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
        let subjects = list(&suite, "classes")
            .iter()
            .flat_map(|class| list(class, "subjects"))
            .collect::<Vec<_>>();
        Ok(subjects
            .iter()
            .flat_map(|subject| list(subject, "variants"))
            .collect())
    }

    /// How long phperf takes for a suite.
    pub fn phperf(&self, suite: &Path, arguments: &[&str]) -> Result<Duration> {
        let mut command = Command::new(&self.phperf);
        command.args(["bench", "run", "-q"]).arg(suite).args(arguments);
        self.time(&mut command)
    }

    /// How long `PHPBench` takes for a suite, where it is there.
    pub fn phpbench(&self, suite: &Path, arguments: &[&str]) -> Result<Option<Duration>> {
        let Some(program) = &self.phpbench else {
            return Ok(None);
        };
        let mut command = Command::new("php");
        command
            .arg(program)
            .args(["run", "--progress=none"])
            .arg(suite)
            .args(arguments);
        self.time(&mut command).map(Some)
    }

    fn time(&self, command: &mut Command) -> Result<Duration> {
        let start = Instant::now();
        let output = command.current_dir(self.scratch).stdin(Stdio::null()).output()?;
        ensure!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(start.elapsed())
    }
}

/// The middle one.
pub fn median(mut values: Vec<Duration>) -> Duration {
    values.sort();
    values[values.len() / 2]
}

/// A suite that comes with these benches.
pub fn suite(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/php")).join(name)
}
