//! A subject that does nothing: what is left of it is the error of the harness.

use crate::tool::{Tool, suite};
use anyhow::{Context, Result};

/// Prints its median, the interval, and what was subtracted.
pub fn print(tool: &Tool) -> Result<()> {
    println!(
        "| empty subject, 1000 revolutions, 50 iterations | a revolution | 99 % interval | an empty one of phperf's | the clock |"
    );
    println!("|---|---|---|---|---|");
    for (name, arguments) in [
        ("default scheduling", [].as_slice()),
        (
            "pinned, real time",
            ["--php-wrapper", "chrt -f 10 taskset -c 1"].as_slice(),
        ),
    ] {
        let variants = match tool.variants(&suite("EmptyBench.php"), arguments) {
            Ok(variants) => variants,
            Err(error) => {
                println!("| {name} | skipped: {error:#} | | | |");
                continue;
            }
        };
        let summary = &variants.first().context("one variant")?["outcome"]["measured"]["summary"];
        let figure = |key: &str| summary[key].as_f64().unwrap_or(f64::NAN);
        let ends = [0, 1].map(|at| summary["interval"][at].as_f64().unwrap_or(f64::NAN));
        println!(
            "| {name} | {:+.3} ns | {:+.3} … {:+.3} ns | {:.1} ns | {:.0} ns |",
            figure("median"),
            ends[0],
            ends[1],
            figure("empty"),
            figure("clock")
        );
    }
    println!();
    Ok(())
}
