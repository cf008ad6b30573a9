//! Counting the instructions of a command with valgrind's callgrind.

use crate::profiler::Files;
use anyhow::{Context, Result};
use std::{fs, process::Command};

/// The same command under callgrind.
#[expect(clippy::needless_pass_by_value, reason = "the command is replaced")]
pub fn wrap(command: Command, files: &Files) -> Command {
    let mut wrapped = Command::new("valgrind");
    wrapped
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--callgrind-out-file={}", files.callgrind.display()))
        .arg(command.get_program())
        .args(command.get_args());
    wrapped
}

/// What it counted.
pub fn instructions(files: &Files) -> Result<f64> {
    let text =
        fs::read_to_string(&files.callgrind).context("callgrind left no file: is valgrind installed?")?;
    let total = text.lines().rev().find_map(|line| {
        line.strip_prefix("totals: ")
            .or_else(|| line.strip_prefix("summary: "))
    });
    total
        .and_then(|number| number.trim().parse().ok())
        .context("callgrind's file has no total")
}
