//! The mappings of a process.

use std::{
    ffi::OsString,
    io::{self, BufRead},
    os::unix::ffi::OsStringExt,
    path::PathBuf,
};

/// More than any PHP has; more than this is not kept.
pub const MAX_MAPPINGS: usize = 1 << 16;
/// A path has at most 4,096 bytes, each of which may be escaped as four.
pub const MAX_LINE: usize = 20_000;

/// A range of addresses, and the file behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the columns of /proc/PID/maps, which do not depend on one another"
)]
pub struct Mapping {
    /// The first address.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// Whether it can be read.
    pub read: bool,
    /// Whether it can be written.
    pub write: bool,
    /// Whether it can be executed.
    pub execute: bool,
    /// Where in the file it starts.
    pub offset: u64,
    /// The device of the file, major and minor number.
    pub device: (u32, u32),
    /// The inode of the file; 0 without one.
    pub inode: u64,
    /// The file as the process names it, or a name such as `[heap]`.
    pub path: Option<PathBuf>,
    /// Whether the file was deleted or replaced since.
    pub deleted: bool,
}

impl Mapping {
    /// Whether `address` lies in it.
    pub const fn contains(&self, address: u64) -> bool {
        self.start <= address && address < self.end
    }

    /// Whether there is a file behind it.
    pub const fn is_file(&self) -> bool {
        self.inode != 0
    }

    /// One line of `/proc/PID/maps`.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let mut rest = line;
        let mut field = || {
            let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
            let (field, after) = rest.split_at(end);
            rest = after.strip_prefix(b" ").unwrap_or(after);
            std::str::from_utf8(field).ok()
        };
        let (start, end) = field()?.split_once('-')?;
        let permissions = field()?.as_bytes();
        let offset = field()?;
        let (major, minor) = field()?.split_once(':')?;
        let inode = field()?;
        let path = rest.trim_ascii_start();
        let inode = inode.parse().ok()?;
        let without = path.strip_suffix(b" (deleted)").filter(|_| inode != 0);
        Some(Self {
            start: u64::from_str_radix(start, 16).ok()?,
            end: u64::from_str_radix(end, 16).ok()?,
            read: permissions.first() == Some(&b'r'),
            write: permissions.get(1) == Some(&b'w'),
            execute: permissions.get(2) == Some(&b'x'),
            offset: u64::from_str_radix(offset, 16).ok()?,
            device: (
                u32::from_str_radix(major, 16).ok()?,
                u32::from_str_radix(minor, 16).ok()?,
            ),
            inode,
            path: (!path.is_empty())
                .then(|| PathBuf::from(OsString::from_vec(unescape(without.unwrap_or(path))))),
            deleted: without.is_some(),
        })
    }
}

/// The kernel writes a newline in a path as `\012`, and nothing else in that way.
fn unescape(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = memchr::memmem::find(rest, b"\\012") {
        plain.extend_from_slice(&rest[..at]);
        plain.push(b'\n');
        rest = &rest[at + 4..];
    }
    plain.extend_from_slice(rest);
    plain
}

/// Every line that makes sense; `None` if there was something to read, but no such line.
pub fn parse(mut lines: impl BufRead) -> io::Result<Option<Vec<Mapping>>> {
    let mut mappings = Vec::new();
    let mut line = Vec::new();
    let mut seen = false;
    while mappings.len() < MAX_MAPPINGS {
        line.clear();
        if io::Read::take(&mut lines, MAX_LINE as u64).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        seen = true;
        mappings.extend(Mapping::parse(line.strip_suffix(b"\n").unwrap_or(&line)));
    }
    Ok((!seen || !mappings.is_empty()).then_some(mappings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_file() {
        let mappings = parse(
            &b"55d0a0000000-55d0a0400000 r-xp 00200000 fe:01 1234   /usr/bin/php8.2\n\
               7f0000000000-7f0000001000 rw-s 00000000 00:05 9      /opt/my php/libphp.so (deleted)\n\
               7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0      [stack]\n\
               7ffd00031000-7ffd00032000 ---p 00000000 00:00 0 \n"[..],
        )
        .unwrap()
        .unwrap();
        assert_eq!(mappings.len(), 4);
        let php = &mappings[0];
        assert_eq!((php.start, php.end), (0x55d0_a000_0000, 0x55d0_a040_0000));
        assert!(php.read && !php.write && php.execute && !php.deleted);
        assert_eq!((php.offset, php.device, php.inode), (0x20_0000, (0xfe, 1), 1234));
        assert_eq!(php.path.as_deref(), Some("/usr/bin/php8.2".as_ref()));
        assert!(mappings[1].deleted);
        assert_eq!(
            mappings[1].path.as_deref(),
            Some("/opt/my php/libphp.so".as_ref())
        );
        assert!(!mappings[2].is_file());
        assert_eq!(mappings[3].path, None);
    }

    #[test]
    fn a_newline_in_a_path_is_escaped() {
        let mapping = Mapping::parse(b"1000-2000 r--p 0 00:01 5 /a\\012b").unwrap();
        assert_eq!(mapping.path.unwrap().as_os_str(), "/a\nb");
    }

    #[test]
    fn a_process_without_memory_has_no_mappings() {
        assert_eq!(parse(&b""[..]).unwrap(), Some(Vec::new()));
        assert_eq!(parse(&b"what is this?\n"[..]).unwrap(), None);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            let _ = parse(&bytes[..]);
        }
    }
}
