//! Bounded reading of the files under `/proc/PID`.

use crate::Error;
use std::{
    fs::File,
    io::{self, Read},
};

/// Reads at most `limit` bytes of `/proc/PID/FILE`; what is beyond is left out.
pub fn read(pid: u32, file: &str, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(format!("/proc/{pid}/{file}"))?
        .take(limit)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What `/proc/PID/stat` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The command, up to 15 bytes.
    pub name: String,
    /// `R`, `S`, `D`, `Z`, …
    pub state: u8,
    /// The parent process.
    pub parent: u32,
    /// When the process started, in clock ticks since the machine did.
    pub start_time: u64,
}

impl Stat {
    pub fn read(pid: u32) -> io::Result<Option<Self>> {
        Ok(Self::parse(&read(pid, "stat", 4096)?))
    }

    /// The command stands in parentheses and may itself hold parentheses, spaces and newlines.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let open = memchr::memchr(b'(', bytes)?;
        let close = memchr::memrchr(b')', bytes)?;
        let name = bytes.get(open + 1..close)?;
        let rest = std::str::from_utf8(bytes.get(close + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        Some(Self {
            name: String::from_utf8_lossy(name).into_owned(),
            state: *fields.next()?.as_bytes().first()?,
            parent: fields.next()?.parse().ok()?,
            // Field 22 of the file; the state was field 3, the parent field 4.
            start_time: fields.nth(17)?.parse().ok()?,
        })
    }

    /// Whether the process ended and only waits to be reaped.
    pub const fn has_ended(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }
}

/// What `/proc/PID/status` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The process that it is a thread of.
    pub group: u32,
    /// The real user.
    pub uid: u32,
    /// The number of the thread in its own PID namespace.
    pub own_number: u32,
}

impl Status {
    pub fn read(pid: u32) -> io::Result<Option<Self>> {
        Ok(Self::parse(&read(pid, "status", 4096)?))
    }

    fn parse(status: &[u8]) -> Option<Self> {
        let words = |name: &[u8]| {
            let line = status
                .split(|&byte| byte == b'\n')
                .find_map(|line| line.strip_prefix(name))?;
            Some(std::str::from_utf8(line).ok()?.split_ascii_whitespace())
        };
        Some(Self {
            group: words(b"Tgid:")?.next()?.parse().ok()?,
            uid: words(b"Uid:")?.next()?.parse().ok()?,
            // The innermost namespace comes last.
            own_number: words(b"NSpid:")
                .or_else(|| words(b"Pid:"))?
                .next_back()?
                .parse()
                .ok()?,
        })
    }
}

/// The arguments, of at most 16 KB.
pub fn command_line(pid: u32) -> io::Result<Vec<String>> {
    let bytes = read(pid, "cmdline", 16 << 10)?;
    // A process may overwrite its title: FPM workers end it with many NULs.
    let end = bytes
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last + 1);
    if end == 0 {
        return Ok(Vec::new());
    }
    Ok(bytes[..end]
        .split(|&byte| byte == 0)
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect())
}

/// Says what an error on a file of `/proc/PID` means.
pub fn explain(error: io::Error, pid: u32, uid: u32, file: &str) -> Error {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ESRCH) => Error::Gone(pid),
        Some(libc::EACCES | libc::EPERM) => Error::NotPermitted { pid, uid },
        _ => Error::Io {
            what: format!("/proc/{pid}/{file}"),
            why: error,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_look_like_the_rest_of_the_line() {
        let stat =
            Stat::parse(b"42 (a) R 7 (x\n) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1 2 3\n")
                .unwrap();
        assert_eq!(stat.name, "a) R 7 (x\n");
        assert_eq!(stat.state, b'S');
        assert_eq!(stat.parent, 1);
        assert_eq!(stat.start_time, 987_654);
    }

    #[test]
    fn nonsense_is_nothing() {
        assert_eq!(Stat::parse(b""), None);
        assert_eq!(Stat::parse(b")("), None);
        assert_eq!(Stat::parse(b"1 (x) S 2"), None);
        assert_eq!(Status::parse(b"Tgid:\t1\nPid:\t1\nUid:\tx"), None);
    }

    #[test]
    fn the_real_user_comes_first_and_the_innermost_number_last() {
        let expected = Status {
            group: 8,
            uid: 33,
            own_number: 2,
        };
        let status = b"Name:\tphp\nTgid:\t8\nPid:\t9\nUid:\t33\t0\t0\t0\nNSpid:\t9\t2\n";
        assert_eq!(Status::parse(status), Some(expected));
    }
}
