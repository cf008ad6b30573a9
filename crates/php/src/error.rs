//! What can go wrong between here and a PHP that runs.

use std::{io, path::PathBuf, time::Duration};

/// Why PHP could not be found, started or asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No candidate exists.
    #[error("no {what} found (tried {tried}): install it, or set {variable} to its path")]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// The names that were tried.
        tried: String,
        /// The variable that names one.
        variable: &'static str,
    },
    /// It does not answer as PHP does.
    #[error("{} does not answer as PHP does ({said}): name a PHP binary", path.display())]
    NotPhp {
        /// The binary.
        path: PathBuf,
        /// What it said instead.
        said: String,
    },
    /// It could not be started.
    #[error("cannot start {}: {source}", path.display())]
    Start {
        /// The binary.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its pipe, socket or folder failed.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried.
        doing: String,
        /// Why it failed.
        source: io::Error,
    },
    /// It did not get ready in time.
    #[error("{what} did not come within {} s; it said: {said}", waited.as_secs_f32())]
    Late {
        /// What was waited for.
        what: String,
        /// For how long.
        waited: Duration,
        /// Its output until then.
        said: String,
    },
    /// It ended while something was waited for.
    #[error("{who} ended while {what} was awaited; it said: {said}")]
    Ended {
        /// Who ended.
        who: &'static str,
        /// What was waited for.
        what: String,
        /// Its output until then.
        said: String,
    },
    /// An answer is not `FastCGI`.
    #[error("the answer is not FastCGI ({0}): does PHP-FPM listen on this socket?")]
    Protocol(&'static str),
    /// An answer is not HTTP, or not whole.
    #[error("the answer of the web server is not HTTP, or ends before its headers do: see its log")]
    NoHttp,
}

impl Error {
    /// For `map_err`: names what was tried.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}
