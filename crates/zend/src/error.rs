//! Why a process cannot be seen as PHP.

use crate::{Version, layout};
use std::path::PathBuf;

/// Why a process cannot be seen as PHP.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no PHP in it.
    #[error(
        "process {pid} is not PHP ({}): name a php, php-fpm or php-cgi process, or one with libphp.so in it",
        path.display()
    )]
    NotPhp {
        /// The process.
        pid: u32,
        /// What it runs.
        path: PathBuf,
    },
    /// It is in the middle of an exec: it has a program already, and nothing of it in its memory yet.
    #[error("process {0} is just starting: try again")]
    Starting(u32),
    /// Nobody has looked at the structs of this version yet; guessing would give wrong stacks.
    #[error(
        "PHP {0} is not known to this phperf, which knows {known}: look for a newer phperf, or add the version \
         as docs/new-php-version.md says",
        known = layout::known()
    )]
    UnknownVersion(Version),
    /// What its threads keep of their own is nothing: they cannot keep PHP's state.
    #[error("PHP {0} runs in threads that keep nothing of their own: report how it was built")]
    ThreadSafe(Version),
    /// The C library is none of those whose threads can be found from outside.
    #[error(
        "thread {0} cannot be looked into: its C library is neither glibc nor musl, or it ended; try again"
    )]
    NoThreadPointer(u32),
    /// A debug build has structs of its own.
    #[error("PHP {0} is a debug build, whose structs differ: profile a PHP built without --enable-debug")]
    DebugBuild(Version),
    /// What was taken for a function is none: its memory was used again, or never was PHP's.
    #[error("no function lies at {0:#x}: the process moved on while it was read, so try again")]
    NotAFunction(u64),
    /// The process itself could not be looked at.
    #[error(transparent)]
    Process(#[from] remote::Error),
    /// Its memory could not be read.
    #[error(transparent)]
    Memory(#[from] remote::ReadError),
}
