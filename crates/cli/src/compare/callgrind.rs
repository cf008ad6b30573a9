//! Instructions, as valgrind's callgrind counts them.

use anyhow::{Context, Result};
use std::{
    ffi::OsStr,
    fs,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Runs commands under callgrind, and adds up what it counted in all their processes.
pub struct Callgrind {
    folder: TempDir,
}

impl Callgrind {
    /// Looks whether there is a valgrind.
    pub fn new() -> Result<Self> {
        Command::new("valgrind")
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("--metric instructions needs valgrind: install it, or take --metric user")?;
        Ok(Self {
            folder: TempDir::with_prefix("phperf-").context("cannot make a temporary folder")?,
        })
    }

    /// The start of a command line.
    pub fn over(&self, program: &OsStr) -> Command {
        let mut log = self.folder.path().as_os_str().to_owned();
        log.push("/%p.log");
        let mut option = std::ffi::OsString::from("--log-file=");
        option.push(log);
        let mut command = Command::new("valgrind");
        command
            .args([
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
                "--trace-children=yes",
            ])
            .arg(option)
            .arg("--")
            .arg(program);
        command
    }

    /// The instructions of the run that just ended, in user space; its logs are taken away.
    pub fn counted(&mut self) -> Result<u64, String> {
        let cannot = |error: std::io::Error| format!("what callgrind counted cannot be read: {error}");
        let mut total = 0;
        for entry in fs::read_dir(self.folder.path()).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            let log = fs::read_to_string(&path).map_err(cannot)?;
            total += collected(&log).unwrap_or(0);
            fs::remove_file(path).map_err(cannot)?;
        }
        if total == 0 {
            return Err("callgrind counted nothing: does it know this program's instructions?".into());
        }
        Ok(total)
    }
}

/// From the line `==42== Collected : 12345`. A process that replaced itself by another program has none.
fn collected(log: &str) -> Option<u64> {
    log.lines()
        .find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_the_log() {
        let log = "==7== Callgrind, a call-graph generating cache profiler\n==7== \n==7== Events    : Ir\n==7== Collected : 223456\n";
        assert_eq!(collected(log), Some(223_456));
        assert_eq!(collected("==7== Collected : many"), None);
        assert_eq!(collected(""), None);
    }
}
