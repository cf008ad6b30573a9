//! What the trained PHP gains.

use crate::{UsageError, args, compare};
use anyhow::Result;
use compare::{ProgressLine, pin};
use rustix::thread::sched_getcpu;
use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};
use trained::{Built, Training, measure};
use trial::{Entry, Kind, Plan, Report, Side, Signal, Verdict};

/// How many pairs, and what counts as the same.
pub fn plan(asked: &args::Build) -> Result<Plan> {
    Plan::new(usize::from(asked.pairs), asked.margin).map_err(|error| UsageError(error.to_string()).into())
}

/// Measures both, pair by pair.
pub fn report(
    built: &Built,
    training: &Training,
    plan: Plan,
    asked: &args::Build,
    stop: &AtomicBool,
    mut notes: Vec<String>,
) -> Result<Report> {
    // Whatever one CPU does to one side, it does to the other.
    pin::to(sched_getcpu())?;
    let seed = asked.measuring.seed.unwrap_or_else(compare::clock);
    let started = Instant::now();
    let mut comparisons = measure::comparisons(built, training);
    let mut line = (!asked.measuring.quiet).then(|| ProgressLine::new(asked.measuring.time));
    let outcomes = trial::run(&mut comparisons, plan, 1, seed, |progress| {
        if let Some(line) = &mut line {
            line.show(progress);
        }
        let over = asked.measuring.time.is_some_and(|time| started.elapsed() >= time);
        if over || stop.load(Ordering::Relaxed) {
            Signal::Stop
        } else {
            Signal::Go
        }
    });
    if let Some(line) = &mut line {
        line.clear();
    }
    let gains = |verdict| {
        outcomes
            .iter()
            .flatten()
            .filter(|outcome| outcome.look.verdict == verdict)
            .count()
    };
    notes.push(match (gains(Verdict::Faster), gains(Verdict::Slower)) {
        (0, 0) => "no gain was shown, and none is claimed.".to_owned(),
        (faster, slower) => format!(
            "of {} measured, the new PHP is faster with {faster} and slower with {slower}.",
            outcomes.len()
        ),
    });
    let labels = |of: fn((PathBuf, PathBuf)) -> PathBuf| {
        let paths: Vec<_> = built
            .programs()
            .into_iter()
            .map(|programs| of(programs).display().to_string())
            .collect();
        paths.join(", ")
    };
    Ok(Report {
        a: Side::new(labels(|(old, _)| old)),
        b: Side::new(labels(|(_, new)| new)),
        metric: measure::METRIC.into(),
        kind: Kind::Time,
        plan,
        seed,
        partial: stop.load(Ordering::Relaxed).then(|| "interrupted".to_owned()),
        notes,
        entries: comparisons
            .into_iter()
            .zip(outcomes)
            .map(|(comparison, outcome)| Entry {
                name: comparison.name,
                outcome,
            })
            .collect(),
    })
}
