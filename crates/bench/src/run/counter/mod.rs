//! Counts instructions: the slope between two numbers of revolutions, so that whatever is not the subject's falls out.

mod callgrind;
mod hardware;
mod way;

pub(super) use way::Way;

use super::{script_path, trouble::Trouble, variant::Bench};
use crate::{Error, executor::Code, model::Sample};
use std::{fs, time::Duration};

/// Revolutions of the shorter run where the suite names none.
pub(super) const REVOLUTIONS: u64 = 500;
/// The longer run has this many times the revolutions, at most.
const LONGER_MAX: u64 = 10_000;

/// Counts the instructions of one variant.
pub(super) struct Counter<'a> {
    bench: Bench<'a>,
    code: Code<'a>,
    timeout: Duration,
    way: Way,
    /// How many times the revolutions the longer run's difference is; found with the first count.
    times: Option<u64>,
    /// What an empty subject takes for as many revolutions: counted once, for it does not change.
    empty: Option<i64>,
}

impl<'a> Counter<'a> {
    /// Why instructions cannot be counted as the user asks for is told with the first count.
    pub(super) fn new(bench: Bench<'a>, code: Code<'a>, timeout: Duration, way: Way) -> Self {
        Self {
            bench,
            code,
            timeout,
            way,
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
        let mut run = self.way.open(&self.bench, path, self.timeout)?;
        let mut counted = |revolutions| run.count(revolutions, warmup);
        let short = counted(revolutions)?;
        let times = if let Some(times) = *times {
            times
        } else {
            let difference = counted(2 * revolutions)? - short;
            let found = (self.way.difference() / difference.max(1)).cast_unsigned();
            *times = Some(found.clamp(1, LONGER_MAX));
            if found <= 1 {
                return Ok(difference);
            }
            found.min(LONGER_MAX)
        };
        let difference = counted(revolutions * (1 + times))? - short;
        Ok((difference as f64 / times as f64).round() as i64)
    }
}

#[cfg(test)]
mod tests;
