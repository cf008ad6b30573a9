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
    /// Something else than what the kernel writes of a process that crashed.
    #[error("{path} is not a core file ({why}): name the file that was written when the process crashed")]
    NotACore {
        /// The file.
        path: String,
        /// What it lacks.
        why: &'static str,
    },
    /// A core file that somebody compressed.
    #[error(
        "{path} is compressed: `{tool} < {path} > core` unpacks it, as does `coredumpctl dump -o core PID`"
    )]
    Packed {
        /// The file.
        path: String,
        /// What unpacks it.
        tool: &'static str,
    },
    /// A core file does not hold the files that were mapped, and this one is not there any more.
    #[error("the core needs {path}, which cannot be opened ({why}): name a copy of that file with --exe")]
    Missing {
        /// The file as the process named it.
        path: String,
        /// What the system said, or that it was deleted.
        why: String,
    },
    /// Another file has its path by now.
    #[error(
        "{path} is not the file that crashed, its build id is another (PHP was updated?): name a copy of the old \
         one with --exe"
    )]
    Replaced {
        /// The file.
        path: String,
    },
    /// It was given for a file that a core needs, and is none of those.
    #[error(
        "{path} is no file that the process had mapped: a file with that build id or name is not in the core"
    )]
    Unrelated {
        /// The file.
        path: String,
    },
    /// The kernel would not do it.
    #[error("cannot {what}: {why}")]
    Refused {
        /// What it was asked for.
        what: String,
        /// What it said.
        why: io::Error,
    },
    /// Anything else that the system said.
    #[error("cannot read {what}: {why}")]
    Io {
        /// What was read.
        what: String,
        /// What the system said.
        why: io::Error,
    },
}
