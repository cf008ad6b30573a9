//! Samples taken of samples due.

use super::Asked;
use crate::{
    bench::{Bench, Recording},
    figure::Unit,
    load::{Doing, Scripts, Workers},
    profiler::{Profiler, Request, Targets},
    rounds::{columns, rounds},
    table::{Bound, Cell, Row, Table},
};
use anyhow::Result;

pub const NAME: &str = "due";

/// So long that a tick more or less at the edges does not decide.
fn seconds(bench: &Bench, hz: u32) -> f64 {
    bench.settings.window(if hz < 500 { 15.0 } else { 5.0 })
}

/// More samples than were due are no better than fewer.
const TOO_MANY: f64 = 100.5;

pub fn run(bench: &Bench) -> Table {
    let mut rows = Vec::new();
    for hz in [99, 999, 9999] {
        let asked = if hz == 9999 {
            Asked::at_least(99.5, 98.0)
        } else {
            Asked::at_least(99.9, 99.9)
        };
        for name in ["synthetic", "framework", "wordpress"] {
            let label = format!("{name}, {hz} Hz");
            rows.push(scripts(bench, &label, name, 1, hz, asked));
        }
    }
    for name in ["synthetic", "framework"] {
        let label = format!("4 × {name}, 999 Hz");
        rows.push(scripts(bench, &label, name, 4, 999, Asked::at_least(99.9, 99.5)));
    }
    for doing in [Doing::Nothing, Doing::Waiting, Doing::Computing] {
        let label = format!("64 FPM workers, {}, 99 Hz", doing.name());
        let row = match Workers::start(bench, 64, doing) {
            Ok(workers) => row(bench, &label, &workers.targets(), 99, Asked::at_least(99.9, 99.0)),
            Err(error) => without(bench, &label, &error),
        };
        rows.push(row);
    }
    Table {
        name: NAME,
        title: "Samples taken of samples due",
        method: format!(
            "Windows of {} s ({} s at 99 Hz). Due is rate × time × targets by this program's own reckoning. Ticks at which no \
             PHP code ran count as taken where the profiler says that it saw them.",
            seconds(bench, 999),
            seconds(bench, 99)
        ),
        columns: columns(bench),
        rows,
        notes: bench.take_notes(),
    }
}

fn scripts(bench: &Bench, label: &str, name: &str, count: usize, hz: u32, asked: Asked) -> Row {
    match Scripts::start(bench, name, count) {
        Ok(scripts) => row(bench, label, &scripts.targets(), hz, asked),
        Err(error) => without(bench, label, &error),
    }
}

fn row(bench: &Bench, label: &str, targets: &Targets, hz: u32, asked: Asked) -> Row {
    let request = Request {
        targets: targets.clone(),
        hz,
        seconds: seconds(bench, hz),
    };
    let results = rounds(bench, label, |profiler| {
        let recording = bench.record(profiler, &request)?;
        Ok(100.0 * seen(profiler, &recording)? / request.due())
    });
    let cells = results.into_iter().map(|(profiler, result)| match result {
        Ok(values) => {
            Cell::figures(values, Unit::Percent).asked(asked.of(profiler).map(|bound| match bound {
                Bound::AtLeast(least) => Bound::Between(least, TOO_MANY),
                other => other,
            }))
        }
        Err(why) => Cell::Without(why),
    });
    Row {
        label: label.into(),
        cells: cells.collect(),
    }
}

/// phpspy does not tell a target without PHP code from one that it could not read: neither counts for it.
fn seen(profiler: Profiler, recording: &Recording) -> Result<f64> {
    let idle = recording.summary.as_ref().map_or(0.0, |summary| summary.idle);
    debug_assert!(profiler.is_phperf() || idle == 0.0);
    Ok(recording.taken()? + idle)
}

fn without(bench: &Bench, label: &str, error: &anyhow::Error) -> Row {
    Row {
        label: label.into(),
        cells: vec![Cell::Without(format!("{error:#}")); bench.profilers().len()],
    }
}
