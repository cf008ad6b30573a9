//! The same loop in C, by libpq alone: no client of PHP's can be faster.

use anyhow::{Context, Result, ensure};
use std::{
    fmt, fs,
    path::PathBuf,
    process::{Command, Stdio},
};
use tempfile::TempDir;

const SOURCE: &str = include_str!("libpq.c");

/// How it waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// As libpq does: it waits, then it receives.
    Polls,
    /// It tries to receive before it waits.
    Tries,
    /// It waits by receiving, on a socket that blocks, which libpq's other functions are not made for.
    Blocks,
}

impl Waits {
    /// In the order of the columns.
    pub const ALL: [Self; 3] = [Self::Polls, Self::Tries, Self::Blocks];

    const fn argument(self) -> &'static str {
        match self {
            Self::Polls => "polls",
            Self::Tries => "tries",
            Self::Blocks => "blocks",
        }
    }
}

impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Polls => "libpq alone, in C",
            Self::Tries => "libpq alone, trying before it waits",
            Self::Blocks => "libpq alone, on a socket that blocks",
        })
    }
}

/// A program that was compiled here.
#[derive(Debug)]
pub struct Libpq {
    folder: TempDir,
}

impl Libpq {
    /// Compiles it, with the libpq that extensions are built with.
    pub fn compile() -> Result<Self> {
        let folder = TempDir::new()?;
        let source = folder.path().join("libpq.c");
        fs::write(&source, SOURCE)?;
        let built = Self { folder };
        let output = Command::new("cc")
            .args(["-O2", "-I", &configured("--includedir")?])
            .arg(&source)
            .arg("-o")
            .arg(built.program())
            .args(["-L", &configured("--libdir")?, "-lpq"])
            .stdin(Stdio::null())
            .output()
            .context("cannot start cc; scripts/setup.sh bench installs it")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "cc failed: {}",
            errors.lines().next().unwrap_or("")
        );
        Ok(built)
    }

    /// The loop over a connection that libpq is told of in its own words.
    pub fn command(&self, waits: Waits, conninfo: &str, iterations: u32, under: &[String]) -> Command {
        let program = self.program().to_string_lossy().into_owned();
        let arguments = [
            program,
            conninfo.to_owned(),
            iterations.to_string(),
            waits.argument().to_owned(),
        ];
        let line = [under, &arguments].concat();
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]);
        command
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("libpq")
    }
}

fn configured(folder: &str) -> Result<String> {
    let output = Command::new("pg_config")
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .context("cannot start pg_config; scripts/setup.sh bench installs it with libpq-dev")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
