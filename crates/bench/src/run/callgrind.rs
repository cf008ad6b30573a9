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
/// two runs is so large that this does not show in the third digit.
const DIFFERENCE: i64 = 5_000_000;
/// The longer run has this many times the revolutions, at most.
const LONGER_MAX: u64 = 10_000;

/// The instructions of `revolutions` calls, from the difference between a run of so many and a longer one; the same of
/// an empty subject is what is not the subject's.
pub(super) fn count(
    bench: &Bench,
    code: &Code,
    revolutions: u64,
    warmup: u64,
    timeout: Duration,
) -> Result<Sample, Trouble> {
    let slope = |script: String| -> Result<i64, Trouble> {
        let path = script_path(bench.scratch, "count.php");
        fs::write(&path, script).map_err(Error::io("write the script for samples"))?;
        let counted = |revolutions| run(bench, &path, revolutions, warmup, timeout);
        let short = counted(revolutions)?;
        let difference = counted(2 * revolutions)? - short;
        let times = (DIFFERENCE / difference.max(1)).cast_unsigned().min(LONGER_MAX);
        if times <= 1 {
            return Ok(difference);
        }
        let difference = counted(revolutions * (1 + times))? - short;
        Ok((difference as f64 / times as f64).round() as i64)
    };
    let raw = slope(code.script())?;
    let overhead = slope(code.empty_script())?;
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

fn run(
    bench: &Bench,
    script: &Path,
    revolutions: u64,
    warmup: u64,
    timeout: Duration,
) -> Result<i64, Trouble> {
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
    let mut source = Source::new(
        &launcher,
        bench.scratch,
        script.into(),
        false,
        timeout * SLOWER,
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
