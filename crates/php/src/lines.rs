//! Lines of a child's output, awaited one at a time.

use crate::Error;
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// How many of the last lines an error repeats.
const REMEMBERED: usize = 20;

/// Reads lines on a thread of its own, so that waiting for one can have a limit. A child never waits for its
/// reader: lines that nobody asks for are kept.
#[derive(Debug)]
pub struct Lines {
    who: &'static str,
    receiver: Receiver<String>,
    last: VecDeque<String>,
}

impl Lines {
    /// The lines that `who` writes, such as `PHP`.
    pub fn of(who: &'static str, output: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let Ok(line) = line else { break };
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
            }
        });
        Self {
            who,
            receiver,
            last: VecDeque::new(),
        }
    }

    /// The next line for which `wanted` holds; the ones before it are skipped.
    ///
    /// # Errors
    /// When it does not come `within` that time, or its writer ended.
    pub fn find(
        &mut self,
        what: &str,
        within: Duration,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<String, Error> {
        let start = Instant::now();
        loop {
            match self.receiver.recv_timeout(within.saturating_sub(start.elapsed())) {
                Ok(line) if wanted(&line) => return Ok(line),
                Ok(line) => {
                    if self.last.len() == REMEMBERED {
                        self.last.pop_front();
                    }
                    self.last.push_back(line);
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Error::Late {
                        what: what.into(),
                        waited: within,
                        said: self.said(),
                    });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Ended {
                        who: self.who,
                        what: what.into(),
                        said: self.said(),
                    });
                }
            }
        }
    }

    fn said(&self) -> String {
        if self.last.is_empty() {
            return "nothing".into();
        }
        self.last
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" / ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_line_and_repeats_what_came_instead() {
        let mut lines = Lines::of("PHP", &b"one\ntwo\nthree\n"[..]);
        let long = Duration::from_secs(10);
        assert_eq!(
            lines.find("two", long, |line| line.starts_with("tw")).unwrap(),
            "two"
        );
        let error = lines.find("four", long, |line| line == "four").unwrap_err();
        assert_eq!(
            error.to_string(),
            "PHP ended while four was awaited; it said: one / three"
        );
    }
}
