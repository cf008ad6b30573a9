//! JSON strings and numbers, written without a copy.

use std::fmt::{self, Write};

/// A text as a JSON string, quotes included; what it holds may be anything that can be shown.
pub struct Json<T>(pub T);

impl<T: fmt::Display> fmt::Display for Json<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        write!(Inside(f), "{}", self.0)?;
        f.write_char('"')
    }
}

struct Inside<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Inside<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = 0;
        for (at, byte) in text.bytes().enumerate() {
            if !matches!(byte, b'"' | b'\\' | 0..0x20) {
                continue;
            }
            self.0.write_str(&text[rest..at])?;
            match byte {
                b'"' => self.0.write_str("\\\"")?,
                b'\\' => self.0.write_str("\\\\")?,
                _ => write!(self.0, "\\u{byte:04x}")?,
            }
            rest = at + 1;
        }
        self.0.write_str(&text[rest..])
    }
}

/// A number, or `null` where it is not known.
pub struct OrNull(pub Option<u64>);

impl fmt::Display for OrNull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => number.fmt(f),
            None => f.write_str("null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_json_reserves_is_escaped() {
        assert_eq!(Json("App\\Foo \"é\"\n").to_string(), r#""App\\Foo \"é\"\u000a""#);
    }

    proptest! {
        #[test]
        fn serde_reads_it_back(text in "(.|[\"\\\\\n\0]){0,40}") {
            let back: String = serde_json::from_str(&Json(&text).to_string()).unwrap();
            prop_assert_eq!(back, text);
        }
    }
}
