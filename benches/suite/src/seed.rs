//! The table of the article on executors: nothing, and sleeps, under each sampler and number of revolutions.

use crate::tool::{Tool, suite};
use anyhow::Result;
use std::fmt::Write;

const COLUMNS: [(&str, &str, &str); 5] = [
    ("hrtime, 10 revs", "hrtime", "10"),
    ("microtime, 10 revs", "microtime", "10"),
    ("hrtime, 1 rev", "hrtime", "1"),
    ("microtime, 1 rev", "microtime", "1"),
    ("hrtime, no loop", "hrtime_no_loop", "1"),
];

/// Prints medians and relative deviations.
pub fn print(tool: &Tool, iterations: usize) -> Result<()> {
    let iterations = format!("--iterations={iterations}");
    let mut rows: Vec<String> = Vec::new();
    for (_, executor, revs) in COLUMNS {
        let variants = tool.variants(
            &suite("SeedBench.php"),
            &["--executor", executor, "--revs", revs, &iterations],
        )?;
        rows.resize(variants.len(), String::new());
        for (row, variant) in rows.iter_mut().zip(&variants) {
            if row.is_empty() {
                let set = variant["set"].as_str().unwrap_or_default();
                *row = if set.is_empty() {
                    "| no-op |".into()
                } else {
                    format!("| usleep({set}) |")
                };
            }
            let summary = &variant["outcome"]["measured"]["summary"];
            let figure = |key: &str| summary[key].as_f64().unwrap_or(f64::NAN);
            write!(
                row,
                " {:.3} μs (±{:.2} %) |",
                figure("median") / 1000.0,
                figure("rstdev")
            )?;
        }
    }
    println!("| subject | {} |", COLUMNS.map(|(name, _, _)| name).join(" | "));
    println!("|---|{}", "---|".repeat(COLUMNS.len()));
    for row in rows {
        println!("{row}");
    }
    let slack = std::fs::read_to_string("/proc/self/timerslack_ns").unwrap_or_default();
    println!(
        "\nA sleep takes longer than asked for: by the timer's slack ({} ns here), and by the time until the",
        slack.trim()
    );
    println!("process has a CPU again. That is the kernel's, not the sampler's: the columns agree.");
    Ok(())
}
