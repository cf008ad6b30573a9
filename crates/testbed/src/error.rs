//! What can go wrong before a test has its world.

use std::{io, path::PathBuf, process::Output};

/// Why a part of the world could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something that tests can do without is not to be had on this machine: a reason to skip.
    #[error("no {what} here: {why}")]
    Unavailable {
        /// What is not there.
        what: String,
        /// Why, and what would help.
        why: String,
    },
    /// A program ended with a failure.
    #[error("`{command}` failed: {said}")]
    Failed {
        /// Its command line.
        command: String,
        /// The end of what it said.
        said: String,
    },
    /// A file, folder or program could not be used.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried.
        doing: String,
        /// Why it failed.
        source: io::Error,
    },
    /// A server did not get ready.
    #[error(transparent)]
    Server(#[from] php::Error),
    /// A file does not say what it should.
    #[error("{} has no {what}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        what: &'static str,
    },
}

impl Error {
    /// For `map_err`: names what was tried.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }

    /// Turns whatever went wrong into a reason to do without.
    pub(crate) fn unavailable(what: &str) -> impl FnOnce(Self) -> Self {
        move |error| Self::Unavailable {
            what: what.into(),
            why: error.to_string(),
        }
    }

    /// Whether a test that needs this can only be skipped.
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}

/// How much of a failed program's output an error repeats, in lines.
const REPEATED: usize = 12;

/// Runs a command to its end; what it printed, if it succeeded.
pub(crate) fn output(command: &mut std::process::Command) -> Result<String, Error> {
    let line = describe(command);
    let output = command
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(Error::io(format!("start `{line}`")))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error::Failed {
            command: line,
            said: said(&output),
        })
    }
}

fn describe(command: &std::process::Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    match lines.len() {
        0 => format!("nothing ({})", output.status),
        count => lines[count.saturating_sub(REPEATED)..].join(" / "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_failure_repeats_what_was_said_last() {
        let error = output(Command::new("sh").args(["-c", "echo one; echo two >&2; exit 3"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`sh -c echo one; echo two >&2; exit 3` failed: one / two"
        );
        assert!(Error::unavailable("PHP 9")(error).is_unavailable());
    }
}
