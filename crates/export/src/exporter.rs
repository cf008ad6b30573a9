//! What every format has to do, and what it may say about the recording as a whole.

use profile::{Account, Sample, Symbols};
use std::{
    io::{self, Write},
    time::SystemTime,
};

/// A format that is being written.
///
/// The caller owns the writer, should buffer it, and passes the same one each time. Streaming formats write
/// each sample as it comes; the others keep counts and write all at the end. Since `finish` does not use up
/// what was counted, a caller whose disk is full can call it again with another writer.
pub trait Exporter: Send {
    /// Takes one sample, whose stack is in `symbols`. Call it in the order of time.
    fn sample(&mut self, symbols: &Symbols, sample: &Sample, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what is left to write, and flushes.
    fn finish(&mut self, symbols: &Symbols, recording: &Recording, out: &mut dyn Write) -> io::Result<()>;
}

/// What is known of a recording when it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What was recorded, for people: a command line, or `php-fpm: pool www`.
    pub title: String,
    /// When it began.
    pub started: SystemTime,
    /// What became of every tick; period, duration, source, targets and their PHP versions.
    pub account: Account,
}

impl Recording {
    /// The sampling period in nanoseconds, at least 1.
    pub fn period_ns(&self) -> u64 {
        u64::try_from(self.account.period.as_nanos())
            .unwrap_or(u64::MAX)
            .max(1)
    }

    /// How long it took, in nanoseconds.
    pub fn duration_ns(&self) -> u64 {
        u64::try_from(self.account.duration.as_nanos()).unwrap_or(u64::MAX)
    }

    /// When it began, in nanoseconds since 1970; 0 for a clock that is set before that.
    pub fn started_ns(&self) -> u64 {
        let since = self
            .started
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    /// The PHP versions of the targets, each once, in the order of the targets.
    pub fn php_versions(&self) -> Vec<&str> {
        let mut versions: Vec<&str> = Vec::new();
        for target in &self.account.targets {
            if !target.php.is_empty() && !versions.contains(&target.php.as_str()) {
                versions.push(&target.php);
            }
        }
        versions
    }
}
