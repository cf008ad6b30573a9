//! Names as text formats can carry them: what would end a frame or a line is written as `%` and two digits.

use profile::is_unprintable;
use std::fmt;

/// Which characters a format cannot carry in a name, besides control characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// `;` parts the frames of a folded stack, a blank the last one from its count (and from a second count,
    /// which some tools look for: a name that ends in a number must not pass for one).
    Folded,
    /// The same, and a blank parts the name from the file in a line of phpspy.
    PhpspyName,
    /// Nothing but control characters: the rest of the line belongs to it.
    Rest,
}

impl Reserved {
    const fn contains(self, byte: u8) -> bool {
        match byte {
            0..0x20 | 0x7f => true,
            b';' | b' ' => !matches!(self, Self::Rest),
            b'#' => matches!(self, Self::Folded),
            _ => false,
        }
    }

    /// Whether the character at `at` has to be escaped.
    fn escapes(self, text: &[u8], at: usize, character: char) -> bool {
        match character {
            // Kept unless it would be read back as an escape.
            '%' => escape_at(text, at, self).is_some(),
            ' ' if self == Self::Folded => ends_like_a_count(text, at),
            // A line that begins with it would be a comment.
            '#' => self == Self::Folded && at == 0,
            ascii if ascii.is_ascii() => self.contains(ascii as u8),
            other => is_unprintable(other),
        }
    }
}

/// `text` with everything escaped that is reserved or does things to a terminal; [`unescape`] is its inverse.
pub struct Escaped<'a>(pub &'a str, pub Reserved);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text, reserved) = *self;
        let mut rest = 0;
        for (at, character) in text.char_indices() {
            if reserved.escapes(text.as_bytes(), at, character) {
                f.write_str(&text[rest..at])?;
                rest = at + character.len_utf8();
                for byte in &text.as_bytes()[at..rest] {
                    write!(f, "%{byte:02X}")?;
                }
            }
        }
        f.write_str(&text[rest..])
    }
}

/// Whether nothing but a number, or nothing at all, or more blanks follow the blank at `at`; or none precedes.
fn ends_like_a_count(text: &[u8], at: usize) -> bool {
    at == 0
        || text[at + 1..]
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b' '))
}

/// The character that is escaped at `at`, if one is, and how long it is there.
fn escape_at(text: &[u8], at: usize, reserved: Reserved) -> Option<(char, usize)> {
    let first = escaped_byte(text, at)?;
    if first.is_ascii() {
        let is_escape = first == b'%' || reserved.contains(first);
        return is_escape.then_some((char::from(first), ESCAPE));
    }
    let mut bytes = [0; 4];
    let length = (first.leading_ones() as usize).min(bytes.len());
    for (index, byte) in bytes[..length].iter_mut().enumerate() {
        *byte = escaped_byte(text, at + index * ESCAPE)?;
    }
    let character = str::from_utf8(&bytes[..length]).ok()?.chars().next()?;
    is_unprintable(character).then_some((character, length * ESCAPE))
}

/// How long the escape of a byte is.
const ESCAPE: usize = 3;

fn escaped_byte(text: &[u8], at: usize) -> Option<u8> {
    let &[b'%', high, low] = text.get(at..at + ESCAPE)? else {
        return None;
    };
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    Some(digit(high)? * 16 + digit(low)?)
}

/// The text that [`Escaped`] wrote as `text`.
pub fn unescape(text: &str, reserved: Reserved) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = 0;
    let mut at = 0;
    while at < text.len() {
        if let Some((character, length)) = escape_at(text.as_bytes(), at, reserved) {
            plain.push_str(&text[rest..at]);
            plain.push(character);
            at += length;
            rest = at;
        } else {
            at += 1;
        }
    }
    plain.push_str(&text[rest..]);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_would_be_misread_is_escaped() {
        let folded = |text| Escaped(text, Reserved::Folded).to_string();
        assert_eq!(
            folded("{closure:/a b/é;%20.php:3}"),
            "{closure:/a b/é%3B%2520.php:3}"
        );
        assert_eq!(folded("include /a 1.5"), "include /a%201.5");
        assert_eq!(folded("include /a 1.php"), "include /a 1.php");
        assert_eq!(folded(" a "), "%20a%20");
        assert_eq!(folded("# a#"), "%23 a#");
        assert_eq!(folded("100%"), "100%");
        assert_eq!(folded("%3B\n"), "%253B%0A");
        assert_eq!(
            Escaped("/a b;\t", Reserved::PhpspyName).to_string(),
            "/a%20b%3B%09"
        );
        assert_eq!(Escaped("/a b;\t", Reserved::Rest).to_string(), "/a b;%09");
        assert_eq!(
            folded("\u{9b}é\u{202e}%C2%9B%C3%A9"),
            "%C2%9Bé%E2%80%AE%25C2%9B%C3%A9"
        );
    }

    proptest! {
        #[test]
        fn unescaping_is_the_inverse(
            text in "([%0-9A-F; \n\0\u{9b}\u{202e}]|%C2%9B|%E2%80%AE|.){0,40}",
            reserved in prop::sample::select(vec![Reserved::Folded, Reserved::PhpspyName, Reserved::Rest]),
        ) {
            let escaped = Escaped(&text, reserved).to_string();
            prop_assert!(escaped.bytes().all(|byte| matches!(byte, b' ' | b'#') || !reserved.contains(byte)));
            prop_assert!(!escaped.contains(is_unprintable));
            prop_assert_eq!(unescape(&escaped, reserved), text);
        }
    }
}
