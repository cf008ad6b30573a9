//! Results, written as they come.

use crate::{
    machine,
    settings::Settings,
    table::{CSV_HEADER, Table},
};
use anyhow::{Context, Result};
use std::fs;

/// A table's name and how it is made.
pub type Entry<B> = (&'static str, fn(&B) -> Table);

/// Makes those of these tables that are wanted, one after the other, prints each, and writes all so far as `NAME.md` and
/// `NAME.csv`, so that a run that is broken off leaves what it has. `head` stands before the tables.
pub fn write<B>(settings: &Settings, name: &str, head: &str, tables: &[Entry<B>], bench: &B) -> Result<()> {
    let folder = &settings.out;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let markdown = folder.join(format!("{name}.md"));
    let csv = folder.join(format!("{name}.csv"));
    let mut text = head.to_owned();
    let mut rows = String::from(CSV_HEADER);
    print!("{text}");
    for (_, make) in tables.iter().filter(|(table, _)| settings.wants(table)) {
        let load = machine::load();
        let mut table = make(bench);
        table
            .notes
            .push(format!("load of the machine when this table was begun: {load}."));
        let part = table.markdown();
        print!("{part}");
        text += &part;
        rows += &table.csv();
        fs::write(&markdown, &text).with_context(|| format!("cannot write {}", markdown.display()))?;
        fs::write(&csv, &rows).with_context(|| format!("cannot write {}", csv.display()))?;
    }
    eprintln!("written: {} and {}", markdown.display(), csv.display());
    Ok(())
}
