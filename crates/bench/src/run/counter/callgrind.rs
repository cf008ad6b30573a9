//! Instructions as valgrind's callgrind counts them: those of a whole PHP, from its start to its end.

use super::way::Runs;
use crate::{
    Error,
    run::{source::Source, trouble::Trouble, variant::Bench},
};
use std::{ffi::OsString, fs, path::PathBuf, time::Duration};

/// Code runs so much slower under callgrind.
const SLOWER: u32 = 50;

/// Runs of one script.
pub(super) struct Callgrind<'a> {
    bench: Bench<'a>,
    script: PathBuf,
    timeout: Duration,
}

impl<'a> Callgrind<'a> {
    /// The start of PHP varies by some thousand instructions: paths and times are among what it reads.
    pub(super) const DIFFERENCE: i64 = 50_000_000;

    pub(super) const fn new(bench: Bench<'a>, script: PathBuf, timeout: Duration) -> Self {
        Self {
            bench,
            script,
            timeout,
        }
    }
}

impl Runs for Callgrind<'_> {
    fn count(&mut self, revolutions: u64, warmup: u64) -> Result<i64, Trouble> {
        let bench = &self.bench;
        let out = bench.scratch.join("callgrind.out");
        let _ = fs::remove_file(&out);
        let mut file = OsString::from("--callgrind-out-file=");
        file.push(&out);
        let valgrind = [
            "valgrind".into(),
            "--tool=callgrind".into(),
            "--quiet".into(),
            file,
        ];
        let launcher = bench.launcher.under(valgrind);
        let timeout = self.timeout * SLOWER;
        let mut source = Source::new(
            &launcher,
            bench.scratch,
            self.script.clone(),
            false,
            timeout,
            bench.stop,
        )?;
        source
            .run_to_end(revolutions, warmup)
            .map_err(|trouble| match trouble {
                Trouble::Run(Error::Start { program, source }) if program == "valgrind" => {
                    Trouble::subject(format!(
                        "instructions are counted by valgrind, which cannot be started ({source}): install it"
                    ))
                }
                other => other,
            })?;
        let text = fs::read_to_string(&out)
            .map_err(|error| Trouble::subject(format!("callgrind left no counts ({error})")))?;
        total(&text).ok_or_else(|| Trouble::subject("callgrind's file has no line of totals"))
    }
}

/// The total of a file of callgrind.
fn total(text: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| {
        line.strip_prefix("totals:")
            .or_else(|| line.strip_prefix("summary:"))
    })?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_total() {
        assert_eq!(total("version: 1\nevents: Ir\nsummary: 123\n"), Some(123));
        assert_eq!(total("events: Ir\n"), None);
        assert_eq!(total("totals: x\n"), None);
    }
}
