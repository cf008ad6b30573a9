//! Prints the tables that docs/benchmarks.md explains, as Markdown, and writes every single figure as CSV.

mod bench;
mod end;
mod live;
mod load;
mod machine;
mod profiler;
mod random;
mod reference;
mod rounds;
mod settings;
mod shares;
mod stacks;
mod summary;
mod tables;

use anyhow::Result;
use common::{figure, table};

fn main() -> Result<()> {
    let Some(settings) = settings::Settings::from_arguments()? else {
        return Ok(());
    };
    let bench = bench::Bench::new(settings)?;
    common::results::write(
        &bench.settings,
        "profiler",
        &bench.describe(),
        tables::ALL,
        &bench,
    )
}
