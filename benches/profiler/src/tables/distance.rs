//! How far the profile is from the truth.

use super::Asked;
use crate::{
    bench::Bench,
    figure::{Unit, median},
    load::Scripts,
    profiler::{Profiler, Request},
    reference::Reference,
    rounds::columns,
    shares::Shares,
    stacks::{self, plain_name},
    table::{Cell, Row, Table},
};
use anyhow::{Result, ensure};
use std::time::Duration;

pub const NAME: &str = "distance";

const HZ: u32 = 999;
const SECONDS: f64 = 10.0;

pub fn run(bench: &Bench) -> Table {
    let mut columns = columns(bench);
    columns.push("reference to itself".into());
    let rows = ["chains", "framework", "wordpress"]
        .map(|name| row(bench, name))
        .into();
    Table {
        name: NAME,
        title: "Distance from the truth",
        method: format!(
            "Total variation distance between the innermost functions that a profiler shows in {} s at {HZ} Hz \
             and those of a reference, which stops the process at random moments, reads, and lets it go on. The \
             reference is taken in each round, between the profilers, and put together over all rounds; its \
             distance to itself (each round against the others) is what chance alone gives.",
            bench.settings.window(SECONDS)
        ),
        columns,
        rows,
        notes: bench.take_notes(),
    }
}

fn row(bench: &Bench, name: &str) -> Row {
    let row = |cells| Row {
        label: name.into(),
        cells,
    };
    match measure(bench, name) {
        Ok(cells) => row(cells),
        Err(error) => row(vec![
            Cell::Without(format!("{error:#}"));
            bench.profilers().len() + 1
        ]),
    }
}

fn measure(bench: &Bench, name: &str) -> Result<Vec<Cell>> {
    let scripts = Scripts::start(bench, name, 1)?;
    let window = bench.settings.window(SECONDS);
    let mut references = Vec::new();
    let mut profiles: Vec<(Profiler, Result<Vec<Shares>, String>)> = bench
        .profilers()
        .into_iter()
        .map(|profiler| (profiler, bench.program(profiler).map(|_| Vec::new())))
        .collect();
    // A round more of the reference than of the others, so that even one round can be compared with itself.
    for round in 0..=bench.settings.runs {
        eprintln!("distance, {name}: reference, {}", round + 1);
        let pid = scripts.0[0].pid();
        let mut reference = Reference::attach(&bench.php, pid)?;
        references.push(reference.leaves(HZ, Duration::from_secs_f64(window))?);
        drop(reference);
        if round == bench.settings.runs {
            break;
        }
        for (profiler, result) in &mut profiles {
            let Ok(shares) = result else { continue };
            eprintln!("distance, {name}: {profiler}, {}", round + 1);
            match profile(bench, *profiler, &scripts, window) {
                Ok(profile) => shares.push(profile),
                Err(error) => *result = Err(format!("{error:#}")),
            }
        }
    }
    let mut whole = Shares::default();
    for reference in &references {
        whole.merge(reference);
    }
    let mut cells: Vec<_> = profiles
        .into_iter()
        .map(|(profiler, result)| match result {
            Ok(rounds) => {
                let values: Vec<_> = rounds.iter().map(|shares| shares.distance(&whole)).collect();
                let mut all = Shares::default();
                for shares in &rounds {
                    all.merge(shares);
                }
                Cell::figures(values, Unit::Fraction)
                    .asked(Asked::at_most(0.03, 0.05).of(profiler))
                    .aside(format!("all rounds together {:.3}", all.distance(&whole)))
            }
            Err(why) => Cell::Without(why),
        })
        .collect();
    cells.push(to_itself(&references));
    Ok(cells)
}

/// The distance of each round of the reference to all its others.
fn to_itself(references: &[Shares]) -> Cell {
    let distances = references.iter().enumerate().map(|(index, one)| {
        let mut others = Shares::default();
        for (other_index, other) in references.iter().enumerate() {
            if other_index != index {
                others.merge(other);
            }
        }
        one.distance(&others)
    });
    let sizes: Vec<_> = references.iter().map(|one| one.total() as f64).collect();
    Cell::figures(distances.collect(), Unit::Fraction).aside(format!("{:.0} stacks a round", median(&sizes)))
}

fn profile(bench: &Bench, profiler: Profiler, scripts: &Scripts, seconds: f64) -> Result<Shares> {
    let request = Request {
        targets: scripts.targets(),
        hz: HZ,
        seconds,
    };
    let recording = bench.record(profiler, &request)?;
    let mut shares = Shares::default();
    stacks::read(&recording.files.stacks, |frames| {
        if let Some(leaf) = frames.first() {
            shares.add(plain_name(leaf.name));
        }
    })?;
    ensure!(shares.total() > 0, "it took no stack");
    Ok(shares)
}
