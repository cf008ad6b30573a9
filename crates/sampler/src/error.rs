//! What can keep a recording from starting or going on.

use std::io;

/// Why there is no recording. Each says its cause and, where there is one, the cure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A process cannot be looked at.
    #[error(transparent)]
    Process(#[from] remote::Error),
    /// A process is not a PHP that is known.
    #[error(transparent)]
    Php(#[from] zend::Error),
    /// The kernel source was asked for by name and cannot run.
    #[error("the kernel source cannot run: {0}; or leave out --source kernel")]
    #[cfg(feature = "kernel")]
    Kernel(crate::kernel::Refusal),
    /// The kernel source was asked for by name and is not in this build.
    #[error("this build has no kernel source: leave out --source kernel, or build with the feature `kernel`")]
    NoKernel,
    /// The kernel source was asked for by name, and values of variables too.
    #[error(
        "the kernel source does not look into variables: leave out --source kernel, or what is to be looked into"
    )]
    NoPeeks,
    /// Frames of C were asked for, and the kernel source cannot run.
    #[error("only the kernel source sees frames of C ({0}): leave out --native")]
    NoNative(String),
    /// A process cannot be watched.
    #[error("{0}")]
    Attach(String),
    /// No process matches.
    #[error(
        "no running PHP process matches {0:?}: `ps -C php` shows names, the pattern is a name or part of a command line"
    )]
    NoMatch(String),
    /// There is no FPM.
    #[error("no PHP-FPM master is running: start php-fpm, or name a process with -p")]
    NoFpm,
    /// The command cannot be started.
    #[error("cannot start {command}: {source}")]
    Launch {
        /// The command.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// Nobody can look at what targets wait for.
    #[error("cannot start a thread that looks at what targets wait for: {0}; or leave out --waits")]
    Looker(#[source] io::Error),
    /// The reader cannot run.
    #[error(transparent)]
    Reader(#[from] crate::reader::Error),
}

#[cfg(feature = "kernel")]
impl From<crate::kernel::Refusal> for Error {
    fn from(refusal: crate::kernel::Refusal) -> Self {
        Self::Kernel(refusal)
    }
}
