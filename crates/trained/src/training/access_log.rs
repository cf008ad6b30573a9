//! Pages out of a web server's log.

use super::Page;
use std::{
    collections::HashMap,
    fmt,
    io::{self, BufRead},
    path::Path,
};

/// A line that is longer is none.
const LINE_MAX: usize = 64 << 10;
/// The most pages that are taken, those that were asked for most.
const PAGES_MAX: usize = 500;
/// The most addresses that are told apart: logs of attacks hold millions.
const ADDRESSES_MAX: usize = 200_000;

/// What a log held that PHP is not trained on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Lines that are none of a log in the common or combined format.
    pub unreadable: u64,
    /// Requests that are no GET.
    pub other_methods: u64,
    /// Requests that were not answered with 200 to 399.
    pub failed: u64,
    /// Requests of what is not PHP's: pictures, styles, what is not there.
    pub not_php: u64,
    /// Requests of pages that are too seldom to be taken.
    pub seldom: u64,
}

impl fmt::Display for Left {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} lines are not readable, {} requests are no GET, {} failed, {} are not PHP's, {} are of seldom pages",
            self.unreadable, self.other_methods, self.failed, self.not_php, self.seldom
        )
    }
}

/// The pages of a log in the common or combined format of Apache and nginx.
#[derive(Clone, Debug)]
pub struct AccessLog {
    /// Each with how often it was asked for, the most frequent first.
    pub pages: Vec<Page>,
    /// Requests that they stand for.
    pub taken: u64,
    /// Everything else.
    pub left: Left,
}

impl AccessLog {
    /// Reads a log; its addresses are looked for below `root`.
    pub fn read(log: impl BufRead, root: &Path) -> io::Result<Self> {
        let mut left = Left::default();
        let mut counts: HashMap<String, u64> = HashMap::new();
        for line in bounded(log) {
            let line = line?;
            match request(&line) {
                None => left.unreadable += 1,
                Some((method, _, _)) if method != "GET" => left.other_methods += 1,
                Some((_, _, status)) if !(200..400).contains(&status) => left.failed += 1,
                Some((_, uri, _)) => {
                    let has_room = counts.len() < ADDRESSES_MAX;
                    match counts.get_mut(uri) {
                        Some(count) => *count += 1,
                        None if has_room => {
                            counts.insert(uri.to_owned(), 1);
                        }
                        None => left.seldom += 1,
                    }
                }
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|(a, more), (b, less)| less.cmp(more).then_with(|| a.cmp(b)));
        let (mut pages, mut taken) = (Vec::new(), 0);
        for (uri, count) in counts {
            match Page::find(root, &uri, count) {
                None => left.not_php += count,
                Some(_) if pages.len() == PAGES_MAX => left.seldom += count,
                Some(page) => {
                    pages.push(page);
                    taken += count;
                }
            }
        }
        Ok(Self { pages, taken, left })
    }
}

/// Lines; of one that is too long, nothing.
fn bounded(mut log: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        let read = io::Read::take(&mut log, LINE_MAX as u64).read_until(b'\n', &mut line);
        match read {
            Ok(0) => None,
            Ok(LINE_MAX) if line.last() != Some(&b'\n') => Some(skip_line(&mut log).map(|()| String::new())),
            Ok(_) => Some(Ok(String::from_utf8_lossy(&line).into_owned())),
            Err(error) => Some(Err(error)),
        }
    })
}

fn skip_line(log: &mut impl BufRead) -> io::Result<()> {
    loop {
        let (used, over) = match log.fill_buf()? {
            [] => return Ok(()),
            buffer => match buffer.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (buffer.len(), false),
            },
        };
        log.consume(used);
        if over {
            return Ok(());
        }
    }
}

/// Method, address and status of a line: `… "GET /a HTTP/1.1" 200 …`.
fn request(line: &str) -> Option<(&str, &str, u16)> {
    let (_, rest) = line.split_once('"')?;
    // Quotes within are escaped.
    let end = rest
        .match_indices('"')
        .map(|(at, _)| at)
        .find(|at| !rest[..*at].ends_with('\\'))?;
    let mut words = rest[..end].split(' ');
    let (method, uri, protocol) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !protocol.starts_with("HTTP/") || !uri.starts_with('/') {
        return None;
    }
    let status = rest[end + 1..].split_ascii_whitespace().next()?.parse().ok()?;
    Some((method, uri, status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pages_have_the_weights_of_the_log_and_the_rest_is_counted() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("index.php"), "").unwrap();
        std::fs::write(root.path().join("a.css"), "").unwrap();
        let endless = "x".repeat(LINE_MAX * 2);
        let log = format!(
            "1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"GET /?p=1 HTTP/1.1\" 200 23 \"-\" \"a \\\"browser\\\"\"\n\
             1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"GET /?p=2 HTTP/1.1\" 200 23\n\
             1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"GET /?p=2 HTTP/2.0\" 304 0\n\
             1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"POST /?p=2 HTTP/1.1\" 200 23\n\
             1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"GET /?p=3 HTTP/1.1\" 500 23\n\
             1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"GET /a.css HTTP/1.1\" 200 23\n\
             1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"\\x16\\x03\" 400 0\n\
             {endless}\nnothing"
        );
        let read = AccessLog::read(log.as_bytes(), root.path()).unwrap();
        let pages: Vec<_> = read.pages.iter().map(ToString::to_string).collect();
        assert_eq!(
            (pages.as_slice(), read.taken),
            (&["/?p=2".to_owned(), "/?p=1".to_owned()][..], 3)
        );
        assert_eq!(
            read.left.to_string(),
            "3 lines are not readable, 1 requests are no GET, 1 failed, 1 are not PHP's, 0 are of seldom pages"
        );
    }

    proptest! {
        #[test]
        fn every_line_is_taken_or_counted(lines in proptest::collection::vec("[^\n]{0,60}", 0..20)) {
            let root = tempfile::tempdir().unwrap();
            let mut log = lines.join("\n");
            if !lines.is_empty() {
                log.push('\n');
            }
            let AccessLog { taken, left, .. } = AccessLog::read(log.as_bytes(), root.path()).unwrap();
            let counted = left.unreadable + left.other_methods + left.failed + left.not_php + left.seldom;
            prop_assert_eq!(taken + counted, lines.len() as u64);
        }
    }
}
