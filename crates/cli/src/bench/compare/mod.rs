//! `phperf bench compare`.

pub mod args;
mod revision;
mod sides;

use crate::{
    UsageError,
    bench::store::{now, usual_place},
    compare::{Files, ProgressLine, clock, exit_code, pin},
    interrupt,
};
use anyhow::{Result, bail};
use bench::{
    compare::{Effort, Side, compare},
    store::{Store, StoreError},
};
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
    let store = if asked.store || asked.tag.is_some() {
        let place = usual_place(&asked.which.base, &asked.store_at)?;
        Some((Store::create_for_comparisons(&place)?, place))
    } else {
        None
    };
    let stop = interrupt::flag("nothing was written".into())?;
    // Held until the end: it takes away the folders of revisions.
    let sides = Sides::new(asked)?;
    if let Some(cpu) = asked.pin {
        pin::to(cpu)?;
    }
    let settings: [Side; 2] = sides.load(asked)?;
    let mut line = (!asked.quiet).then(|| ProgressLine::new(asked.time));
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
    // First of all: whoever reads the answer may go away, and a disk may be full.
    let kept = store.map(|(mut store, place)| {
        let id = store.add_comparison(&report, asked.tag.as_deref(), now())?;
        if !asked.quiet {
            eprintln!("kept as comparison {id} in {place}");
        }
        Ok::<(), StoreError>(())
    });
    files.write(&report)?;
    kept.transpose()?;
    exit_code(&asked.answer, report)
}
