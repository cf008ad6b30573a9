//! What FPM workers cost that do nothing, wait or compute.

use super::Asked;
use crate::{
    bench::Bench,
    figure::Unit,
    load::{Doing, Workers},
    profiler::Profiler,
    rounds::rounds,
    table::{Cell, Row},
};
use anyhow::{Result, anyhow};

/// So many workers; `share` is in per cent of a core. `asked` is at most so much of both sources, kernel and reader.
pub fn rows(
    bench: &Bench,
    what: &str,
    workers: usize,
    asked: (f64, f64),
    share: impl Fn(&Bench, Profiler, &Workers) -> Result<f64>,
) -> Vec<Row> {
    let row = |doing: Doing| {
        let label = doing.name();
        let started = Workers::start(bench, workers, doing);
        let results = rounds(
            bench,
            &format!("{what}, {workers} FPM workers, {label}"),
            |profiler| {
                let workers = started.as_ref().map_err(|error| anyhow!("{error:#}"))?;
                share(bench, profiler, workers)
            },
        );
        let cells = results.into_iter().map(|(profiler, result)| match result {
            Ok(values) => {
                Cell::figures(values, Unit::Percent).asked(Asked::at_most(asked.0, asked.1).of(profiler))
            }
            Err(why) => Cell::Without(why),
        });
        Row {
            label: label.into(),
            cells: cells.collect(),
        }
    };
    [Doing::Nothing, Doing::Waiting, Doing::Computing].map(row).into()
}
