//! Why a suite could not be run at all. What is wrong with one of its subjects is a [`Failure`](crate::model::Failure)
//! of that subject, and the others are run.

use std::{io, path::PathBuf};

/// Why a suite could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of settings could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of settings makes no sense.
    #[error("{}: {reason}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A setting has a value that makes no sense.
    #[error("{name} (from {source_name}): {reason}")]
    Setting {
        /// Its name.
        name: String,
        /// Where its value is from.
        source_name: String,
        /// What is wrong.
        reason: String,
    },
    /// There is no profile of that name.
    #[error("there is no profile {name}; the configuration has: {known}")]
    Profile {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Nothing says where the benchmarks are.
    #[error("no path to benchmarks: name one, or set runner.path in phpbench.json or phperf.toml")]
    NoPath,
    /// A path does not exist.
    #[error("{} does not exist: name a file or folder with benchmarks", .0.display())]
    NoSuchPath(PathBuf),
    /// PHP could not be started.
    #[error("cannot start {program}: {source}; name a PHP with --php-binary")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// PHP could not be asked for the benchmarks.
    #[error("PHP could not list the benchmarks: {0}")]
    Discovery(String),
    /// An executor makes no sense.
    #[error("executor {name}: {reason}")]
    Executor {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// The folder for scripts or its socket failed.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

impl Error {
    /// For `map_err`: names what was tried.
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}
