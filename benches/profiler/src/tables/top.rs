//! CPU time of the live view.

use super::pool;
use crate::{
    bench::Bench,
    live::Live,
    load::Workers,
    profiler::{Profiler, Targets},
    rounds::columns,
    table::Table,
};
use anyhow::{Result, bail};
use std::{thread, time::Duration};

pub const NAME: &str = "top";

const WORKERS: usize = 32;
/// How long it runs before it is measured, and how long it is measured, in seconds.
const BEFORE: f64 = 4.0;
const WINDOW: f64 = 10.0;

pub fn run(bench: &Bench) -> Table {
    Table {
        name: NAME,
        title: "CPU of `phperf top` on 32 FPM workers at 99 Hz",
        method: format!(
            "In per cent of one core, all threads and the programs in the kernel included, over {} s after {} s, in a \
             terminal of 80 columns. Waiting workers wait 200 times a second each.",
            bench.settings.window(WINDOW),
            bench.settings.window(BEFORE)
        ),
        columns: columns(bench),
        rows: pool::rows(bench, "top", WORKERS, (2.0, 2.0), share),
        notes: bench.take_notes(),
    }
}

/// Per cent of a core.
fn share(bench: &Bench, profiler: Profiler, workers: &Workers) -> Result<f64> {
    let Targets::Fpm { pool, .. } = workers.targets() else {
        bail!("these are no workers of FPM");
    };
    if !profiler.is_phperf() {
        bail!("its view shows one process");
    }
    let program = bench.program(profiler).map_err(anyhow::Error::msg)?;
    let source = profiler.key();
    let live = Live::start(&format!(
        "'{}' top --quiet --fpm={pool} --source {source}",
        program.display()
    ))?;
    let pass = |seconds| thread::sleep(Duration::from_secs_f64(bench.settings.window(seconds)));
    pass(BEFORE);
    let before = live.used()?;
    pass(WINDOW);
    Ok(live.used()?.share_since(before))
}
