//! Prints the tables that docs/pdo-pool-benchmarks.md explains, as Markdown, and writes every single figure as
//! CSV.

mod alone;
mod bench;
mod libpq;
mod settings;
mod strace;
mod tables;
mod variant;

use anyhow::Result;

fn main() -> Result<()> {
    let Some(settings) = settings::from_arguments()? else {
        return Ok(());
    };
    let bench = bench::Bench::new(settings)?;
    common::results::write(&bench.settings, "pdo", &bench.describe(), tables::ALL, &bench)
}
