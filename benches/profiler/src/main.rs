//! Prints the tables that docs/benchmarks.md explains, as Markdown, and writes every single figure as CSV.

mod bench;
mod callgrind;
mod end;
mod figure;
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
mod table;
mod tables;

use anyhow::{Context, Result};
use std::fs;

fn main() -> Result<()> {
    let Some(settings) = settings::Settings::from_arguments()? else {
        return Ok(());
    };
    let bench = bench::Bench::new(settings)?;
    let folder = &bench.settings.out;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let markdown = folder.join("profiler.md");
    let csv = folder.join("profiler.csv");

    let mut text = bench.describe();
    let mut rows = String::from(table::CSV_HEADER);
    print!("{text}");
    for (name, run) in tables::ALL {
        if !bench.settings.wants(name) {
            continue;
        }
        let load = machine::load();
        let mut table = run(&bench);
        table
            .notes
            .push(format!("load of the machine when this table was begun: {load}."));
        let part = table.markdown();
        print!("{part}");
        text += &part;
        rows += &table.csv();
        // After each table, so that a run that is broken off leaves what it has.
        fs::write(&markdown, &text).with_context(|| format!("cannot write {}", markdown.display()))?;
        fs::write(&csv, &rows).with_context(|| format!("cannot write {}", csv.display()))?;
    }
    eprintln!("written: {} and {}", markdown.display(), csv.display());
    Ok(())
}
