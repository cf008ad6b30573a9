//! Samples against the clocks.

use super::Asked;
use crate::{
    bench::Bench,
    figure::Unit,
    load::Scripts,
    machine,
    profiler::{Profiler, Request},
    rounds::{columns, rounds},
    table::{Cell, Row, Table},
};
use anyhow::{Context, Result, anyhow};

pub const NAME: &str = "wall";

const SECONDS: f64 = 8.0;
/// How far from 100 % is close enough.
const WITHIN: f64 = 1.0;

pub fn run(bench: &Bench) -> Table {
    let mut rows = Vec::new();
    for (name, hz) in [("synthetic", 99), ("synthetic", 999), ("framework", 999)] {
        rows.extend(part(bench, name, hz));
    }
    Table {
        name: NAME,
        title: "Samples against the clocks",
        method: format!(
            "Windows of {} s. Samples times period, on a CPU and waiting, over the window. And samples on a CPU times period, over what the target's own CPU clock moved \
             from just before the profiler's start to just after its end, for the window's share of that time.",
            bench.settings.window(SECONDS)
        ),
        columns: columns(bench),
        rows,
        notes: bench.take_notes(),
    }
}

fn part(bench: &Bench, name: &str, hz: u32) -> Vec<Row> {
    let label = format!("{name}, {hz} Hz");
    let scripts = Scripts::start(bench, name, 1);
    let results = rounds(bench, &format!("wall, {label}"), |profiler| {
        let scripts = scripts.as_ref().map_err(|error| anyhow!("{error:#}"))?;
        measure(bench, profiler, scripts, hz)
    });
    let row = |text: &str, value: fn(&(f64, Option<f64>)) -> Option<f64>, wall: bool| Row {
        label: format!("{label}: {text}"),
        cells: results
            .iter()
            .map(|(profiler, result)| match result {
                Ok(rounds) => {
                    let values: Vec<_> = rounds.iter().filter_map(value).collect();
                    if values.is_empty() {
                        return Cell::Without("it does not tell waiting from running".into());
                    }
                    let asked = if wall {
                        Asked::between(100.0 - WITHIN, 100.0 + WITHIN)
                    } else {
                        Asked::NOTHING
                    };
                    Cell::figures(values, Unit::Percent).asked(asked.of(*profiler))
                }
                Err(why) => Cell::Without(why.clone()),
            })
            .collect(),
    };
    vec![
        row("all samples, of the wall clock", |it| Some(it.0), true),
        row("on a CPU, of the CPU clock", |it| it.1, false),
    ]
}

fn measure(bench: &Bench, profiler: Profiler, scripts: &Scripts, hz: u32) -> Result<(f64, Option<f64>)> {
    let request = Request {
        targets: scripts.targets(),
        hz,
        seconds: bench.settings.window(SECONDS),
    };
    let pid = scripts.0[0].pid();
    let clock = || machine::run_time(pid).context("the kernel does not say how long the target ran");
    let before = clock()?;
    let recording = bench.record(profiler, &request)?;
    let ran = (clock()? - before) as f64 / 1e9;
    let wall = 100.0 * recording.taken()? / request.due();
    let on_cpu = recording.summary.as_ref().map(|summary| {
        let share = ran / recording.end.wall.as_secs_f64();
        100.0 * summary.on_cpu / (f64::from(hz) * request.seconds * share)
    });
    Ok((wall, on_cpu))
}
