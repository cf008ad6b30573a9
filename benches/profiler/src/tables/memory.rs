//! Peak memory.

use super::Asked;
use crate::{
    bench::{Bench, Recording},
    figure::Unit,
    load::{Doing, Scripts, Workers},
    profiler::{Request, Targets},
    rounds::{columns, rounds},
    table::{Cell, Row, Table},
};
use anyhow::{Result, anyhow};

pub const NAME: &str = "memory";

const SECONDS: f64 = 5.0;

/// One of the memory figures of a recording.
type Figure = fn(&Recording) -> u64;

const FIGURES: [(&str, Figure); 3] = [
    ("peak", |it| it.end.peak),
    ("resident in the middle", |it| it.end.middle.0),
    ("of it not backed by files", |it| it.end.middle.1),
];

pub fn run(bench: &Bench) -> Table {
    let one = Scripts::start(bench, "framework", 1).map(|scripts| (scripts.targets(), scripts));
    let mut rows = part(
        bench,
        "framework, 999 Hz",
        999,
        &of(&one),
        Asked::at_most(5.0, 3.1),
    );
    drop(one);
    let many = Workers::start(bench, 64, Doing::Computing).map(|workers| (workers.targets(), workers));
    rows.extend(part(
        bench,
        "64 busy FPM workers, 99 Hz",
        99,
        &of(&many),
        Asked::at_most(6.0, 5.0),
    ));
    drop(many);
    Table {
        name: NAME,
        title: "Memory",
        method: format!(
            "Windows of {} s. The peak of resident memory is the kernel's own mark (VmHWM), read while the \
             profiler is about to end; the others are from smaps_rollup in the middle of the window. Memory of \
             children and of the kernel (maps, ring buffers that are not mapped) is not in it.",
            bench.settings.window(SECONDS)
        ),
        columns: columns(bench),
        rows,
        notes: bench.take_notes(),
    }
}

/// The targets of what was started, or why it was not.
fn of<T>(started: &Result<(Targets, T)>) -> Result<Targets> {
    match started {
        Ok((targets, _)) => Ok(targets.clone()),
        Err(error) => Err(anyhow!("{error:#}")),
    }
}

fn part(bench: &Bench, label: &str, hz: u32, targets: &Result<Targets>, asked: Asked) -> Vec<Row> {
    let results = rounds(bench, &format!("memory, {label}"), |profiler| {
        let request = Request {
            targets: targets.as_ref().map_err(|error| anyhow!("{error:#}"))?.clone(),
            hz,
            seconds: bench.settings.window(SECONDS),
        };
        let recording = bench.record(profiler, &request)?;
        Ok(FIGURES.map(|(_, figure)| figure(&recording) as f64 / 1e6))
    });
    let row = |index: usize, name: &str| {
        let cells = results.iter().map(|(profiler, result)| match result {
            Ok(values) => {
                let asked = if index == 0 { asked } else { Asked::NOTHING };
                let values = values.iter().map(|figures| figures[index]).collect();
                Cell::figures(values, Unit::Megabytes).asked(asked.of(*profiler))
            }
            Err(why) => Cell::Without(why.clone()),
        });
        Row {
            label: format!("{label}: {name}"),
            cells: cells.collect(),
        }
    };
    FIGURES
        .iter()
        .enumerate()
        .map(|(index, (name, _))| row(index, name))
        .collect()
}
