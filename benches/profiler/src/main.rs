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
    let chosen = tables::ALL
        .iter()
        .filter(|(name, _)| bench.settings.wants(name))
        .map(|(_, run)| *run);
    common::results::write(
        &bench.settings.out,
        "profiler",
        &bench.describe(),
        chosen,
        |run| run(&bench),
    )
}
