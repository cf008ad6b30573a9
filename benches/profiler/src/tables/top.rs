//! CPU time of the live view.

use super::Asked;
use crate::{
    bench::Bench,
    figure::Unit,
    live::Live,
    load::{Doing, Workers},
    profiler::{Profiler, Targets},
    rounds::{columns, rounds},
    table::{Cell, Row, Table},
};
use anyhow::{Result, anyhow, bail};
use std::{thread, time::Duration};

pub const NAME: &str = "top";

const WORKERS: usize = 32;
/// How long it runs before it is measured, and how long it is measured, in seconds.
const BEFORE: f64 = 4.0;
const WINDOW: f64 = 10.0;

pub fn run(bench: &Bench) -> Table {
    let rows = [Doing::Nothing, Doing::Waiting, Doing::Computing].map(|doing| row(bench, doing));
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
        rows: rows.into(),
        notes: bench.take_notes(),
    }
}

fn row(bench: &Bench, doing: Doing) -> Row {
    let label = doing.name();
    let workers = Workers::start(bench, WORKERS, doing);
    let results = rounds(
        bench,
        &format!("top, {WORKERS} FPM workers, {label}"),
        |profiler| {
            let workers = workers.as_ref().map_err(|error| anyhow!("{error:#}"))?;
            share(bench, profiler, workers)
        },
    );
    let cells = results.into_iter().map(|(profiler, result)| match result {
        Ok(values) => Cell::figures(values, Unit::Percent).asked(Asked::at_most(2.0, 2.0).of(profiler)),
        Err(why) => Cell::Without(why),
    });
    Row {
        label: label.into(),
        cells: cells.collect(),
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
