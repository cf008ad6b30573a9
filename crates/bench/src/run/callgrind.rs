//! Counts instructions: the slope between two numbers of revolutions under callgrind, so that whatever is not the
//! subject's falls out.

use super::{script_path, source::Source, trouble::Trouble, variant::Bench};
use crate::{Error, executor::Code, model::Sample};
use std::{ffi::OsString, fs, path::Path, time::Duration};

/// Revolutions of the shorter run where the suite names none.
pub(super) const REVOLUTIONS: u64 = 500;
/// Code runs so much slower under callgrind.
const SLOWER: u32 = 50;
/// The start of PHP varies by some thousand instructions (paths and times are among what it reads). The difference of
/// two runs is so large that this is a ten-thousandth of it at most.
const DIFFERENCE: i64 = 50_000_000;
/// The longer run has this many times the revolutions, at most.
const LONGER_MAX: u64 = 10_000;

/// Counts the instructions of one variant.
pub(super) struct Counter<'a> {
    bench: Bench<'a>,
    code: Code<'a>,
    timeout: Duration,
    /// How many times the revolutions the longer run's difference is; found with the first count.
    times: Option<u64>,
    /// What an empty subject takes for as many revolutions: counted once, for it does not change.
    empty: Option<i64>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(bench: Bench<'a>, code: Code<'a>, timeout: Duration) -> Self {
        Self {
            bench,
            code,
            timeout,
            times: None,
            empty: None,
        }
    }

    /// The instructions of `revolutions` calls, from the difference between a run of so many and a longer one; the same
    /// of an empty subject is what is not the subject's. The numbers are those of the first call.
    pub(super) fn count(&mut self, revolutions: u64, warmup: u64) -> Result<Sample, Trouble> {
        let mut times = self.times;
        let raw = self.slope(&self.code.script(), &mut times, revolutions, warmup)?;
        self.times = times;
        let overhead = match self.empty {
            Some(empty) => empty,
            None => self.slope(&self.code.empty_script(), &mut None, revolutions, warmup)?,
        };
        self.empty = Some(overhead);
        Ok(Sample {
            iteration: 0,
            revolutions,
            raw,
            overhead,
            clock: 0,
            empty: overhead as f64 / revolutions as f64,
            memory: None,
            retried: false,
        })
    }

    fn slope(
        &self,
        script: &str,
        times: &mut Option<u64>,
        revolutions: u64,
        warmup: u64,
    ) -> Result<i64, Trouble> {
        let path = script_path(self.bench.scratch, "count.php");
        fs::write(&path, script).map_err(Error::io("write the script for samples"))?;
        let counted = |revolutions| self.run(&path, revolutions, warmup);
        let short = counted(revolutions)?;
        let times = if let Some(times) = *times {
            times
        } else {
            let difference = counted(2 * revolutions)? - short;
            let found = (DIFFERENCE / difference.max(1)).cast_unsigned();
            *times = Some(found.clamp(1, LONGER_MAX));
            if found <= 1 {
                return Ok(difference);
            }
            found.min(LONGER_MAX)
        };
        let difference = counted(revolutions * (1 + times))? - short;
        Ok((difference as f64 / times as f64).round() as i64)
    }

    fn run(&self, script: &Path, revolutions: u64, warmup: u64) -> Result<i64, Trouble> {
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
            script.into(),
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
