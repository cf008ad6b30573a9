//! CPU time of watching many workers.

use super::Asked;
use crate::{
    bench::Bench,
    figure::Unit,
    load::{Doing, Workers},
    profiler::{Profiler, Request},
    rounds::{columns, rounds},
    table::{Cell, Row, Table},
};
use anyhow::{Result, anyhow};

pub const NAME: &str = "fpm-cost";

const WORKERS: usize = 64;
const HZ: u32 = 99;
/// The two windows, in seconds.
const WINDOWS: (f64, f64) = (2.0, 8.0);

pub fn run(bench: &Bench) -> Table {
    let rows = [Doing::Nothing, Doing::Waiting, Doing::Computing].map(|doing| row(bench, doing));
    Table {
        name: NAME,
        title: "CPU of 64 FPM workers at 99 Hz",
        method: format!(
            "In per cent of one core, children and programs in the kernel included; a slope between windows of \
             {} and {} s, so that start-up is not in it. Waiting workers wait 200 times a second each.",
            bench.settings.window(WINDOWS.0),
            bench.settings.window(WINDOWS.1)
        ),
        columns: columns(bench),
        rows: rows.into(),
        notes: bench.take_notes(),
    }
}

fn row(bench: &Bench, doing: Doing) -> Row {
    let label = doing.name();
    let workers = Workers::start(bench, WORKERS, doing);
    let results = rounds(bench, &format!("{WORKERS} FPM workers, {label}"), |profiler| {
        let workers = workers.as_ref().map_err(|error| anyhow!("{error:#}"))?;
        slope(bench, profiler, workers)
    });
    let cells = results.into_iter().map(|(profiler, result)| match result {
        Ok(values) => Cell::figures(values, Unit::Percent).asked(Asked::at_most(0.5, 5.0).of(profiler)),
        Err(why) => Cell::Without(why),
    });
    Row {
        label: label.into(),
        cells: cells.collect(),
    }
}

/// Per cent of a core.
fn slope(bench: &Bench, profiler: Profiler, workers: &Workers) -> Result<f64> {
    let measure = |seconds| {
        let request = Request {
            targets: workers.targets(),
            hz: HZ,
            seconds,
        };
        let recording = bench.record(profiler, &request)?;
        Ok::<_, anyhow::Error>((recording.cpu_ns(), recording.end.wall.as_nanos() as f64))
    };
    let (cpu_short, wall_short) = measure(bench.settings.window(WINDOWS.0))?;
    let (cpu_long, wall_long) = measure(bench.settings.window(WINDOWS.1))?;
    Ok(100.0 * (cpu_long - cpu_short) / (wall_long - wall_short))
}
