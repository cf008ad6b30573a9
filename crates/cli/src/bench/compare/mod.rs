//! `phperf bench compare`.

pub mod args;
mod revision;
mod sides;

use crate::{
    UsageError,
    compare::{Files, ProgressLine, clock, exit_code, pin},
    interrupt,
};
use anyhow::{Result, bail};
use bench::compare::{Effort, Side, compare};
use sides::Sides;
use trial::Plan;

/// Compares, prints, writes.
pub fn run(asked: &args::Compare) -> Result<u8> {
    let plan = Plan::new(asked.pairs.into(), asked.margin).map_err(|error| UsageError(error.to_string()))?;
    let effort = Effort {
        plan,
        seed: asked.seed.unwrap_or_else(clock),
        time: asked.time,
    };
    // Before revisions are checked out: a mistake costs no time, and Ctrl-C leaves nothing behind.
    let files = Files::open(&asked.answer)?;
    let stop = interrupt::flag("nothing was written".into())?;
    // Held until the end: it takes away the folders of revisions.
    let sides = Sides::new(asked)?;
    if let Some(cpu) = asked.pin {
        pin::to(cpu)?;
    }
    let settings: [Side; 2] = sides.load(asked)?;
    let mut line = (!asked.quiet).then(ProgressLine::new);
    let report = compare(&settings, effort, &stop, &mut |now| {
        if let Some(line) = &mut line {
            line.show(now);
        }
    });
    if let Some(line) = &mut line {
        line.clear();
    }
    let report = report?;
    if report.entries.is_empty() {
        bail!("there is no subject that both sides have");
    }
    files.write(&report)?;
    exit_code(&asked.answer, report)
}
