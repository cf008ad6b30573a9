//! Rounds: each profiler once per round, in a different order each time, so that a machine that changes its
//! speed changes it for all.

use crate::{bench::Bench, profiler::Profiler};
use anyhow::Result;

/// What the rounds gave for each profiler, in the order of the columns.
pub type Results<T> = Vec<(Profiler, Result<Vec<T>, String>)>;

/// Measures each profiler once per round. A profiler that fails is not tried again.
pub fn rounds<T>(bench: &Bench, what: &str, mut measure: impl FnMut(Profiler) -> Result<T>) -> Results<T> {
    let mut results: Results<T> = bench
        .profilers()
        .into_iter()
        .map(|profiler| (profiler, bench.program(profiler).map(|_| Vec::new())))
        .collect();
    let columns = results.len().max(1);
    for round in 0..bench.settings.runs {
        for index in 0..results.len() {
            let (profiler, result) = &mut results[(index + round) % columns];
            let Ok(values) = result else { continue };
            eprintln!("{what}: {profiler}, {} of {}", round + 1, bench.settings.runs);
            match measure(*profiler) {
                Ok(value) => values.push(value),
                Err(error) => *result = Err(format!("{error:#}")),
            }
        }
    }
    results
}

/// The heads of the columns.
pub fn columns(bench: &Bench) -> Vec<String> {
    bench.profilers().iter().map(ToString::to_string).collect()
}
