//! What can go wrong when a process is looked at.

use std::io;

/// Why a process, or a file that it maps, could not be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such process.
    #[error("no process {0}: it has ended or never was; `ps -e` lists those that run")]
    NoSuchProcess(u32),
    /// The process ended after it was opened.
    #[error("process {0} ended")]
    Gone(u32),
    /// The kernel denies access.
    #[error(
        "not permitted to look into process {pid}, which belongs to uid {uid}: run as root or with \
         CAP_SYS_PTRACE, or as the same user with `sysctl kernel.yama.ptrace_scope=0` (a worker of PHP-FPM \
         also needs `process.dumpable = yes` in its pool)"
    )]
    NotPermitted {
        /// The process.
        pid: u32,
        /// Its real user.
        uid: u32,
    },
    /// `/proc` is missing or says something unheard of.
    #[error("/proc/{pid}/{file} makes no sense: is /proc the proc file system of this kernel?")]
    Procfs {
        /// The process.
        pid: u32,
        /// The file under its folder.
        file: &'static str,
    },
    /// The mapped file cannot be opened any more.
    #[error(
        "process {pid} runs a file that was deleted ({path}), and only root may still open it: run as root, or \
         restart the process"
    )]
    Deleted {
        /// The process.
        pid: u32,
        /// Where the file was.
        path: String,
    },
    /// Not an ELF file that this build can read.
    #[error("not a 64-bit little-endian ELF file, or a damaged one: {0}")]
    Elf(&'static str),
    /// The kernel would not do it.
    #[error("cannot {what}: {why}")]
    Refused {
        /// What it was asked for.
        what: String,
        /// What it said.
        why: io::Error,
    },
    /// Anything else that the system said.
    #[error("cannot read {what}: {source}")]
    Io {
        /// What was read.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}
