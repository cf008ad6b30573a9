//! Finds out what a file is, and has it read.

use super::{ReadError, Saved};
use crate::{Format, callgrind, folded, phpspy};
use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
};

/// Reads a profile from a file in any of the [`Format`]s, gzipped or not.
pub fn read(path: &Path) -> Result<Saved, ReadError> {
    let failed = |error| ReadError::File {
        path: path.display().to_string(),
        error,
    };
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    read_from(file)
}

/// How much of a file is looked at to tell its format: enough for the first frame of a sample.
const HEAD: usize = 64 << 10;

/// Reads a profile from anything that can be read.
pub fn read_from(input: impl Read) -> Result<Saved, ReadError> {
    let mut input = BufReader::with_capacity(HEAD, input);
    if fill(&mut input)?.starts_with(&[0x1f, 0x8b]) {
        return unpack(input);
    }
    read_plain(&mut input)
}

#[cfg(feature = "pprof")]
fn unpack(input: impl BufRead) -> Result<Saved, ReadError> {
    read_plain(&mut BufReader::with_capacity(
        HEAD,
        flate2::bufread::MultiGzDecoder::new(input),
    ))
}

#[cfg(not(feature = "pprof"))]
fn unpack(_: impl BufRead) -> Result<Saved, ReadError> {
    Err(crate::FormatError::NotBuilt(Format::Pprof).into())
}

fn read_plain<R: Read>(input: &mut BufReader<R>) -> Result<Saved, ReadError> {
    match guess(fill(input)?)? {
        Format::Svg => read_svg(input),
        Format::Pprof => read_pprof(input),
        Format::Speedscope => read_speedscope(input),
        Format::Folded => folded::read(Format::Folded, input),
        Format::Phpspy => phpspy::read(phpspy::Shape::Lines, input),
        Format::PhpspyLine => phpspy::read(phpspy::Shape::OneLine, input),
        format @ (Format::Callgrind | Format::Otlp) => Err(ReadError::WrittenOnly(format)),
    }
}

#[cfg(feature = "svg")]
use crate::svg::read as read_svg;
#[cfg(not(feature = "svg"))]
fn read_svg(_: &mut dyn BufRead) -> Result<Saved, ReadError> {
    Err(crate::FormatError::NotBuilt(Format::Svg).into())
}

#[cfg(feature = "pprof")]
use crate::pprof::read as read_pprof;
#[cfg(not(feature = "pprof"))]
fn read_pprof(_: &mut dyn BufRead) -> Result<Saved, ReadError> {
    Err(crate::FormatError::NotBuilt(Format::Pprof).into())
}

#[cfg(feature = "speedscope")]
use crate::speedscope::read as read_speedscope;
#[cfg(not(feature = "speedscope"))]
fn read_speedscope(_: &mut dyn BufRead) -> Result<Saved, ReadError> {
    Err(crate::FormatError::NotBuilt(Format::Speedscope).into())
}

/// What the buffer of `input` holds, or its first bytes. Pipes give what they have; that is enough.
fn fill(input: &mut impl BufRead) -> Result<&[u8], ReadError> {
    loop {
        match input.fill_buf() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
            Ok(_) => break,
        }
    }
    Ok(input.fill_buf()?)
}

/// The format of a file that begins with `head`.
fn guess(head: &[u8]) -> Result<Format, ReadError> {
    if head.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    // A name in a text may hold what colours a terminal.
    let binary = |&byte: &u8| byte < 0x20 && !byte.is_ascii_whitespace() && !matches!(byte, 0x07 | 0x1b);
    if head.iter().take(512).any(binary) {
        return Ok(if is_otlp(head) {
            Format::Otlp
        } else {
            Format::Pprof
        });
    }
    let text = String::from_utf8_lossy(head);
    // Blanks of ASCII only: a name may begin with another one.
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if text.starts_with('{') && text[1..].trim_start().starts_with(['"', '}']) {
        return Ok(Format::Speedscope);
    }
    if ["<?xml", "<svg", "<!DOCTYPE"]
        .iter()
        .any(|start| text.starts_with(start))
    {
        return Ok(Format::Svg);
    }
    if text.starts_with(callgrind::MAGIC) {
        return Ok(Format::Callgrind);
    }
    let mut lines = text
        .lines()
        .map(without_notes)
        .filter(|line| !line.trim().is_empty());
    let line = lines.next().unwrap_or_default();
    if phpspy::starts_a_sample(line) {
        let one_line = line.contains('\t');
        return Ok(if one_line {
            Format::PhpspyLine
        } else {
            Format::Phpspy
        });
    }
    // A stack may be so deep that its count is further away.
    let cut_off = head.len() >= HEAD && text.ends_with(line) && line.contains(';');
    if folded::split_count(line).is_some() || cut_off || text.starts_with("# phperf = ") {
        return Ok(Format::Folded);
    }
    Err(ReadError::Unknown)
}

/// What of a line is no note: one of several parts may begin with some.
fn without_notes(line: &str) -> &str {
    let mut rest = line;
    while rest.starts_with('#') {
        rest = rest.split_once('\t').map_or("", |(_, rest)| rest);
    }
    rest
}

/// Whether bytes begin with a message in a message: `profile.proto` begins with one that holds numbers.
fn is_otlp(head: &[u8]) -> bool {
    let Some((b'\n', rest)) = head.split_first() else {
        return false;
    };
    // The length is a number of several bytes, each but the last with its highest bit set.
    let length = rest.iter().take(10).position(|&byte| byte < 0x80);
    length.is_some_and(|last| rest[last] > 0 && rest.get(last + 1) == Some(&b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        let cases = [
            ("<main>;a 1\n", Format::Folded),
            ("\x1b[31m<main>;\x1b]0;x\x07a 1\n", Format::Folded),
            ("# varpeek x@/b.php:3 = 1\n0 a /b.php:3\n", Format::Phpspy),
            ("# varpeek x@/b.php:3 = 1\t0 a /b.php:3\t\n", Format::PhpspyLine),
            ("# x\n\n0 a 3\n", Format::Folded),
            ("{closure:/a.php:3};b 1", Format::Folded),
            ("0 a /b.php:3\n", Format::Phpspy),
            ("\n0 a b <internal>:-1\n", Format::Phpspy),
            ("0 a /b.php:3\t1 <main> /b.php:4\t\n", Format::PhpspyLine),
            (" {\"profiles\": []}", Format::Speedscope),
            ("<?xml version=\"1.0\"?><svg/>", Format::Svg),
            ("\n\x04\x08\x01\x10\x02", Format::Pprof),
            ("\n\u{10}\n\x04\n\x02ab", Format::Otlp),
            ("# callgrind format\nversion: 1\n", Format::Callgrind),
        ];
        for (head, format) in cases {
            assert_eq!(guess(head.as_bytes()).unwrap(), format, "{head:?}");
        }
        assert!(matches!(guess(b" \n"), Err(ReadError::Empty)));
        assert!(matches!(guess(b"hello\nfoo 1"), Err(ReadError::Unknown)));
        assert!(matches!(guess(b"1 a /b.php:3"), Err(ReadError::Unknown)));
    }
}
