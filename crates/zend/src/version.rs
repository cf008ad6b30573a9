//! Which PHP a binary is, by the constants that even a stripped one holds.

use remote::elf::{Elf, ReadAt, Scan};
use std::fmt;

/// The header that PHP sends unless it is told not to; the version stands right behind it.
const FULL: &[u8] = b"X-Powered-By: PHP/";
/// `API420220829,NTS`: what an extension must have been built for.
const API: &[u8] = b"API";
/// Longer than either of them with all that may follow.
const OVERLAP: usize = 64;

/// The version of a PHP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The 8 of 8.2.29.
    pub major: u8,
    /// The 2 of 8.2.29.
    pub minor: u8,
    /// The 29 of 8.2.29.
    pub patch: u8,
    /// Whether it was built to run in many threads.
    pub zts: bool,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.zts { "ZTS" } else { "NTS" };
        write!(f, "{}.{}.{} {threads}", self.major, self.minor, self.patch)
    }
}

/// What the constants of a binary say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    pub version: Version,
    /// A debug build has structs of its own.
    pub debug: bool,
}

impl Constants {
    /// Reads the constants in chunks, until both are found.
    pub fn find<R: ReadAt + ?Sized>(source: &R, elf: &Elf<'_, R>) -> Option<Self> {
        let (mut number, mut build) = (None, None);
        for range in elf.constants() {
            let mut scan = Scan::new(source, range, OVERLAP);
            while let Some((_, chunk)) = scan.next_chunk() {
                number = number.or_else(|| find_number(chunk));
                build = build.or_else(|| find_build(chunk));
                if let (Some((major, minor, patch)), Some((zts, debug))) = (number, build) {
                    let version = Version {
                        major,
                        minor,
                        patch,
                        zts,
                    };
                    return Some(Self { version, debug });
                }
            }
        }
        None
    }
}

fn find_number(chunk: &[u8]) -> Option<(u8, u8, u8)> {
    memchr::memmem::find_iter(chunk, FULL).find_map(|at| {
        let mut rest = &chunk[at + FULL.len()..];
        let major = number(&mut rest)?;
        rest = rest.strip_prefix(b".")?;
        let minor = number(&mut rest)?;
        rest = rest.strip_prefix(b".")?;
        let patch = number(&mut rest)?;
        // Cut off by the end of the chunk? The next one has it whole.
        (!rest.is_empty()).then_some((major, minor, patch))
    })
}

fn number(rest: &mut &[u8]) -> Option<u8> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (text, after) = rest.split_at(digits);
    *rest = after;
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn find_build(chunk: &[u8]) -> Option<(bool, bool)> {
    memchr::memmem::find_iter(chunk, API).find_map(|at| {
        let rest = &chunk[at + API.len()..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = memchr::memchr(0, rest.get(..OVERLAP).unwrap_or(rest))?;
        if digits < 8 {
            return None;
        }
        let mut words = rest[digits..end].strip_prefix(b",")?.split(|&byte| byte == b',');
        let zts = match words.next()? {
            b"TS" => true,
            b"NTS" => false,
            _ => return None,
        };
        Some((zts, words.next() == Some(b"debug")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(find_number(b"\0X-Powered-By: PHP/8.2.36\0"), Some((8, 2, 36)));
        assert_eq!(
            find_number(b"X-Powered-By: PHP/x X-Powered-By: PHP/8.6.0-dev\0"),
            Some((8, 6, 0))
        );
        assert_eq!(find_number(b"X-Powered-By: PHP/8.2.3"), None, "may go on");
        assert_eq!(find_number(b"X-Powered-By: PHP/8.999.1\0"), None);
    }

    #[test]
    fn builds() {
        assert_eq!(find_build(b"APIs\0API420220829,NTS\0"), Some((false, false)));
        assert_eq!(find_build(b"API420220829,TS\0"), Some((true, false)));
        assert_eq!(find_build(b"API420220829,NTS,debug\0"), Some((false, true)));
        assert_eq!(find_build(b"API420220829,NT"), None);
        assert_eq!(find_build(b"API12,NTS\0"), None);
    }

    #[test]
    fn said_to_people() {
        let version = Version {
            major: 8,
            minor: 2,
            patch: 29,
            zts: false,
        };
        assert_eq!(version.to_string(), "8.2.29 NTS");
    }
}
