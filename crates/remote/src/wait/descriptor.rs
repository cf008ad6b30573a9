//! What a file descriptor is.

use crate::Process;
use std::{fs, os::unix::ffi::OsStrExt};

/// What a file descriptor of another process is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// A path, `pipe:[4711]`, `anon_inode:[timerfd]`.
    Named(String),
    /// A socket by its inode, which no other one has while the machine runs.
    Socket(u64),
}

impl Descriptor {
    /// Descriptor `number` of the process; `None` if it has no such one.
    pub fn of(thread: &Process, number: i32) -> Option<Self> {
        let link = fs::read_link(format!("/proc/{}/fd/{number}", thread.pid())).ok()?;
        Some(Self::parse(link.as_os_str().as_bytes()))
    }

    /// Whether no other one has this name while the machine runs.
    pub fn is_unique(&self) -> bool {
        match self {
            Self::Named(name) => name.starts_with("pipe:["),
            Self::Socket(_) => true,
        }
    }

    fn parse(link: &[u8]) -> Self {
        let socket = link
            .strip_prefix(b"socket:[")
            .and_then(|rest| std::str::from_utf8(rest.strip_suffix(b"]")?).ok()?.parse().ok());
        socket.map_or_else(
            || Self::Named(String::from_utf8_lossy(link).into_owned()),
            Self::Socket,
        )
    }
}

/// The numbers that a process has, if it may be looked at.
pub fn numbers(process: &Process) -> impl Iterator<Item = i32> {
    let entries = fs::read_dir(format!("/proc/{}/fd", process.pid()));
    let names = entries.into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_have_numbers_and_files_names() {
        assert_eq!(Descriptor::parse(b"socket:[77]"), Descriptor::Socket(77));
        for name in ["socket:[x]", "/tmp/socket:[7]", "pipe:[5]", ""] {
            assert_eq!(
                Descriptor::parse(name.as_bytes()),
                Descriptor::Named(name.to_owned())
            );
        }
    }
}
