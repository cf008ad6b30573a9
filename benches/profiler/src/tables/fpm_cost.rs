//! CPU time of watching many workers.

use super::pool;
use crate::{
    bench::Bench,
    load::Workers,
    profiler::{Profiler, Request},
    rounds::columns,
    table::Table,
};
use anyhow::Result;

pub const NAME: &str = "fpm-cost";

const WORKERS: usize = 64;
const HZ: u32 = 99;
/// The two windows, in seconds.
const WINDOWS: (f64, f64) = (2.0, 8.0);

pub fn run(bench: &Bench) -> Table {
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
        rows: pool::rows(bench, "record", WORKERS, (0.5, 5.0), slope),
        notes: bench.take_notes(),
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
