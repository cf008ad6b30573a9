//! What a training left in the counters, and whether that is all of it.

use crate::Error;
use std::{fmt, fs, path::Path};

/// A PHP that ran anything has counters of more files, or functions, than that: its executor, its allocator, its streams.
const LEAST: usize = 50;
/// The file that it is kept in.
const COVERAGE: &str = "coverage";

/// What has counters of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A file of PHP's sources.
    Files,
    /// A function.
    Functions,
}

impl fmt::Display for Unit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Files => "files",
            Self::Functions => "functions",
        })
    }
}

/// The counters of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// What is counted by.
    pub unit: Unit,
    /// How many of these have counters.
    pub units: usize,
    /// Requests that were counted, a script being one.
    pub requests: u64,
    /// How often the executor was entered, or a script.
    pub executed: u64,
}

impl Coverage {
    /// Whether it holds all that ran: scripts and requests, one by one.
    pub(crate) fn judge(self, due: u64) -> Result<Self, Error> {
        if self.units < LEAST {
            return Err(Error::Lost(format!(
                "only {} {} have counters, not {LEAST} or more: could PHP write into the folder of the build, and did it \
                 end by itself?",
                self.units, self.unit
            )));
        }
        if self.requests < due {
            return Err(Error::Lost(format!(
                "{} of {due} requests were counted: a process was killed before it wrote its counters, or could not write \
                 them",
                self.requests
            )));
        }
        if self.executed == 0 {
            return Err(Error::Lost(
                "the executor was never entered: no PHP code ran".into(),
            ));
        }
        Ok(self)
    }

    /// Writes it down beside the counters.
    pub(crate) fn keep(self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(COVERAGE);
        let text = format!(
            "{} {} {} {}\n",
            self.units, self.requests, self.executed, self.unit
        );
        fs::write(&path, text).map_err(Error::io(format!("write {}", path.display())))
    }

    /// What was written down.
    pub(crate) fn kept(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(COVERAGE);
        let text = fs::read_to_string(&path).map_err(Error::io(format!("read {}", path.display())))?;
        Self::parse(&text).ok_or_else(|| {
            Error::Lost(format!(
                "{} is broken: start again with --from train",
                path.display()
            ))
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let [units, requests, executed] = [words.next()?, words.next()?, words.next()?];
        let unit = match words.next() {
            Some(unit) => [Unit::Files, Unit::Functions]
                .into_iter()
                .find(|it| it.to_string() == unit)?,
            // GCC's, as they were written before there were others.
            None => Unit::Files,
        };
        Some(Self {
            unit,
            units: units.parse().ok()?,
            requests: requests.parse().ok()?,
            executed: executed.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Coverage = Coverage {
        unit: Unit::Files,
        units: 120,
        requests: 7,
        executed: 9,
    };

    #[test]
    fn what_is_lost_is_told() {
        assert_eq!(WHOLE.judge(7).unwrap(), WHOLE);
        let told = |coverage: Coverage| coverage.judge(7).unwrap_err().to_string();
        assert!(told(Coverage { units: 49, ..WHOLE }).contains("only 49 files have counters"));
        assert!(told(Coverage { requests: 6, ..WHOLE }).contains("6 of 7 requests were counted"));
        assert!(told(Coverage { executed: 0, ..WHOLE }).contains("the executor was never entered"));
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let place = tempfile::tempdir().unwrap();
        WHOLE.keep(place.path()).unwrap();
        assert_eq!(Coverage::kept(place.path()).unwrap(), WHOLE);
        fs::write(place.path().join(COVERAGE), "1 2").unwrap();
        assert!(
            Coverage::kept(place.path())
                .unwrap_err()
                .to_string()
                .contains("--from train")
        );
    }
}
