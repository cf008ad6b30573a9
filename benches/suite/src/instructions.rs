//! Counts of instructions, over and over, beside busy neighbours: by how much do they differ?

use crate::tool::{Tool, suite};
use anyhow::{Context, Result};
use common::neighbours::Neighbours;
use std::collections::BTreeMap;

/// The most by which counts of one subject may differ, as a share.
const BAR: f64 = 0.0001;

/// Counts each subject `runs` times, and prints the spread: the largest count over the smallest.
pub fn print(tool: &Tool, runs: usize) -> Result<()> {
    let _neighbours = Neighbours::start(&php::Binary::cli()?)?;
    let mut counts: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..runs {
        let variants = tool.variants(&suite("InstructionsBench.php"), &["--executor", "instructions"])?;
        for variant in variants {
            let name = variant["set"].as_str().unwrap_or_default().to_owned();
            let median = variant["outcome"]["measured"]["summary"]["median"].as_f64();
            counts.entry(name).or_default().push(median.context("a count")?);
        }
    }
    println!(
        "| subject | instructions | spread over {runs} runs beside busy neighbours | .01 % |\n|---|---|---|---|"
    );
    for (name, counts) in counts {
        let least = counts.iter().copied().fold(f64::INFINITY, f64::min);
        let most = counts.iter().copied().fold(0.0, f64::max);
        let spread = most / least - 1.0;
        let holds = if spread <= BAR { "holds" } else { "MISSED" };
        println!("| {name} | {least:.1} | {:.4} % | {holds} |", spread * 100.0);
    }
    println!();
    Ok(())
}
