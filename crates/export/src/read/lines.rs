//! Lines of bounded length, in one buffer that is used again.

use super::ReadError;
use std::io::{BufRead, Read};

/// The longest line that is read, in bytes: a stack of the deepest sort with long names.
const MAX_LINE: u64 = 16 << 20;

/// Reads line by line.
pub struct Lines<'a> {
    input: &'a mut dyn BufRead,
    bytes: Vec<u8>,
    text: String,
    number: u64,
}

/// A line, and its number for messages.
#[derive(Clone, Copy)]
pub struct TextLine<'a> {
    pub text: &'a str,
    number: u64,
}

impl TextLine<'_> {
    /// What is wrong with it.
    pub const fn error(self, why: &'static str) -> ReadError {
        ReadError::Line {
            line: self.number,
            why,
        }
    }
}

impl<'a> Lines<'a> {
    pub fn new(input: &'a mut dyn BufRead) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            text: String::new(),
            number: 0,
        }
    }

    /// The next line without its end; bytes that are not UTF-8 become replacement characters.
    pub fn next_line(&mut self) -> Result<Option<TextLine<'_>>, ReadError> {
        self.bytes.clear();
        self.number += 1;
        if self.input.take(MAX_LINE).read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        if self.bytes.last() == Some(&b'\n') {
            self.bytes.pop();
            if self.bytes.last() == Some(&b'\r') {
                self.bytes.pop();
            }
        } else if self.bytes.len() as u64 == MAX_LINE {
            return Err(ReadError::Line {
                line: self.number,
                why: "it is longer than 16 MiB",
            });
        }
        self.text.clear();
        self.text.push_str(&String::from_utf8_lossy(&self.bytes));
        Ok(Some(TextLine {
            text: &self.text,
            number: self.number,
        }))
    }
}
