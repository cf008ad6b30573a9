//! The table of the article on executors: nothing, and sleeps, under each sampler and number of revolutions.

use crate::tool::{Tool, suite};
use anyhow::Result;
use std::{fmt::Write, process::Command};

const COLUMNS: [(&str, &str, &str); 5] = [
    ("hrtime, 10 revs", "hrtime", "10"),
    ("microtime, 10 revs", "microtime", "10"),
    ("hrtime, 1 rev", "hrtime", "1"),
    ("microtime, 1 rev", "microtime", "1"),
    ("hrtime, no loop", "hrtime_no_loop", "1"),
];

/// Prints medians and relative deviations, and by how much sleeps took longer than they were asked to.
pub fn print(tool: &Tool, iterations: usize) -> Result<()> {
    let iterations = format!("--iterations={iterations}");
    let mut rows: Vec<String> = Vec::new();
    let mut late = Vec::new();
    for (column, executor, revs) in COLUMNS {
        let variants = tool.variants(
            &suite("SeedBench.php"),
            &["--executor", executor, "--revs", revs, &iterations],
        )?;
        let mut beyond = Vec::new();
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
            if let Some(asked) = variant["set"].as_str().and_then(|set| set.parse::<f64>().ok()) {
                beyond.push(figure("median") / 1000.0 - asked);
            }
            write!(
                row,
                " {:.3} μs (±{:.2} %) |",
                figure("median") / 1000.0,
                figure("rstdev")
            )?;
        }
        let least = beyond.iter().copied().fold(f64::INFINITY, f64::min);
        let most = beyond.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        late.push(format!("- {column}: {least:.1} to {most:.1} μs"));
    }
    println!("| subject | {} |", COLUMNS.map(|(name, _, _)| name).join(" | "));
    println!("|---|{}", "---|".repeat(COLUMNS.len()));
    for row in rows {
        println!("{row}");
    }
    println!("\nBeyond what a sleep was asked to take, least and most of the sleeps in a column:");
    for line in late {
        println!("{line}");
    }
    // Of a process that is started as PHP is: it is inherited.
    let slack = Command::new("cat").arg("/proc/self/timerslack_ns").output()?;
    match String::from_utf8_lossy(&slack.stdout).trim().parse::<u64>() {
        Ok(slack) => println!(
            "\nThe kernel may let a sleep end {:.1} μs late: the timer's slack.",
            slack as f64 / 1000.0
        ),
        Err(_) => println!("\nThe timer's slack is not known: this kernel does not tell."),
    }
    Ok(())
}
