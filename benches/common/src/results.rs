//! Results, written as they come.

use crate::{
    machine,
    table::{CSV_HEADER, Table},
};
use anyhow::{Context, Result};
use std::{fs, path::Path};

/// Makes one table after the other, prints it, and writes all so far as `NAME.md` and `NAME.csv` in a folder, so
/// that a run that is broken off leaves what it has. `head` stands before the tables.
pub fn write<T>(
    folder: &Path,
    name: &str,
    head: &str,
    tables: impl IntoIterator<Item = T>,
    make: impl Fn(T) -> Table,
) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let markdown = folder.join(format!("{name}.md"));
    let csv = folder.join(format!("{name}.csv"));
    let mut text = head.to_owned();
    let mut rows = String::from(CSV_HEADER);
    print!("{text}");
    for table in tables {
        let load = machine::load();
        let mut table = make(table);
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
