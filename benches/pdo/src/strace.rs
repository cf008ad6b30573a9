//! System calls, counted by strace.

use anyhow::{Context, Result};
use std::{fs, path::Path};

/// How often a process sent and received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Sends.
    pub sends: u64,
    /// Receives, those that found nothing yet among them.
    pub receives: u64,
}

/// What a program is run under to be counted.
pub fn under(file: &Path) -> Vec<String> {
    let file = file.display().to_string();
    ["strace", "-f", "-c", "-e", "trace=sendto,recvfrom", "-o", &file]
        .map(str::to_owned)
        .into()
}

/// Reads what it counted.
pub fn read(file: &Path) -> Result<Calls> {
    let text = fs::read_to_string(file).context("strace left no counts")?;
    parse(&text).context("strace counted no sends")
}

/// Lines of per cent, seconds, µs per call, calls, errors (if any) and the name.
fn parse(text: &str) -> Option<Calls> {
    let count = |call: &str| {
        let line = text
            .lines()
            .find(|line| line.split_ascii_whitespace().last() == Some(call))?;
        line.split_ascii_whitespace().nth(3)?.parse().ok()
    };
    Some(Calls {
        sends: count("sendto")?,
        receives: count("recvfrom")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_counts_with_and_without_errors() {
        let text = "% time     seconds  usecs/call     calls    errors syscall\n\
                    ------ ----------- ----------- --------- --------- ----------------\n \
                    60.21    0.057212           9      6010      3005 recvfrom\n \
                    39.79    0.037812          12      3008           sendto\n\
                    ------ ----------- ----------- --------- --------- ----------------\n\
                    100.00    0.095024          10      9018      3005 total\n";
        let calls = Calls {
            sends: 3008,
            receives: 6010,
        };
        assert_eq!(parse(text), Some(calls));
        assert_eq!(parse(""), None);
    }
}
