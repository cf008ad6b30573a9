//! Instructions per sample in user space, as a slope, whatever else runs there. How often the reader has to look again goes
//! with the machine.

use crate::{
    bench::Bench,
    figure::Unit,
    load::Scripts,
    profiler::{Profiler, Request},
    rounds::{columns, rounds},
    table::{Cell, Row, Table},
};
use anyhow::{Result, anyhow, ensure};

pub const NAME: &str = "instructions";

/// The two windows, in seconds.
const WINDOWS: (f64, f64) = (2.0, 5.0);
const HZ: u32 = 999;

pub fn run(bench: &Bench) -> Table {
    let rows = ["framework", "wordpress", "synthetic"].map(|name| {
        let label = format!("{name}, {HZ} Hz");
        let scripts = Scripts::start(bench, name, 1);
        let results = rounds(bench, &label, |profiler| {
            let scripts = scripts.as_ref().map_err(|error| anyhow!("{error:#}"))?;
            slope(bench, profiler, scripts)
        });
        let cells = results.into_iter().map(|(_, result)| match result {
            Ok(slopes) => Cell::figures(slopes, Unit::Count),
            Err(why) => Cell::Without(why),
        });
        Row {
            label,
            cells: cells.collect(),
        }
    });
    Table {
        name: NAME,
        title: "Instructions per sample",
        method: format!(
            "Instructions that the profiler itself executes, counted by callgrind; a slope between windows of \
             {} and {} s. The kernel's part (system calls, the programs that walk the stack) is not in it.",
            bench.settings.window(WINDOWS.0),
            bench.settings.window(WINDOWS.1)
        ),
        columns: columns(bench),
        rows: rows.into(),
        notes: bench.take_notes(),
    }
}

fn slope(bench: &Bench, profiler: Profiler, scripts: &Scripts) -> Result<f64> {
    let measure = |seconds: f64| {
        let request = Request {
            targets: scripts.targets(),
            hz: HZ,
            seconds: bench.settings.window(seconds),
        };
        bench.count(profiler, &request)
    };
    let (short, long) = (measure(WINDOWS.0)?, measure(WINDOWS.1)?);
    ensure!(long.1 > short.1, "no more samples in the longer window");
    Ok((long.0 - short.0) / (long.1 - short.1))
}
