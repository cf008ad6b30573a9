//! Rounds of the profilers that have a column.

use crate::{bench::Bench, profiler::Profiler};
use anyhow::Result;

/// What the rounds gave for each profiler, in the order of the columns.
pub type Results<T> = common::rounds::Results<Profiler, T>;

/// Measures each profiler once per round.
pub fn rounds<T>(bench: &Bench, what: &str, measure: impl FnMut(Profiler) -> Result<T>) -> Results<T> {
    let profilers = bench.profilers();
    let contenders = profilers
        .into_iter()
        .map(|profiler| (profiler, bench.program(profiler).map(drop)));
    common::rounds::rounds(contenders, bench.settings.runs, what, measure)
}

/// The heads of the columns.
pub fn columns(bench: &Bench) -> Vec<String> {
    bench.profilers().iter().map(ToString::to_string).collect()
}
