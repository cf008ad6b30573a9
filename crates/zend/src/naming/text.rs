//! Bytes from a target as text that is safe in any terminal and any format of lines.

use profile::is_unprintable;
use std::fmt::Write;

/// How much of a function's or class's name is shown, in bytes.
pub const NAME_MAX: usize = 512;
/// How much of a file's name is shown, in bytes.
pub const FILE_MAX: usize = 1024;

/// At most `limit` of the bytes, with what is not UTF-8 replaced and what is not printable escaped.
///
/// A backslash stays as it is: it separates namespaces.
pub fn printable(bytes: &[u8], limit: usize) -> String {
    let (kept, ellipsis) = if bytes.len() > limit {
        (&bytes[..boundary(bytes, limit)], "…")
    } else {
        (bytes, "")
    };
    let mut text = String::with_capacity(kept.len() + ellipsis.len());
    for character in String::from_utf8_lossy(kept).chars() {
        // Writing to a String cannot fail.
        let _ = match character {
            '\n' => text.write_str("\\n"),
            '\r' => text.write_str("\\r"),
            '\t' => text.write_str("\\t"),
            character if character.is_control() && character.is_ascii() => {
                write!(text, "\\x{:02x}", character as u32)
            }
            character if is_unprintable(character) => write!(text, "\\u{{{:x}}}", character as u32),
            character => text.write_char(character),
        };
    }
    text + ellipsis
}

/// The last place at or before `limit` at which no character is cut in two.
fn boundary(bytes: &[u8], limit: usize) -> usize {
    (limit.saturating_sub(3)..=limit)
        .rev()
        .find(|&at| bytes[at] & 0xc0 != 0x80)
        .unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(printable(b"App\\Foo", 99), "App\\Foo");
        assert_eq!(printable(b"a\nb\0\x1b[31m\x7f", 99), "a\\nb\\x00\\x1b[31m\\x7f");
        assert_eq!(
            printable("\u{85}\u{202e}\u{2028}é".as_bytes(), 99),
            "\\u{85}\\u{202e}\\u{2028}é"
        );
        assert_eq!(printable(b"\xffa", 99), "\u{fffd}a");
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        assert_eq!(printable(b"abcdef", 6), "abcdef");
        assert_eq!(printable(b"abcdefg", 6), "abcdef…");
        assert_eq!(printable("abcdeé".as_bytes(), 6), "abcde…");
        assert_eq!(printable(&[0x80; 9], 6), "\u{fffd}".repeat(6) + "…");
    }
}
