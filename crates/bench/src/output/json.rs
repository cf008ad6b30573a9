//! Tables, and whole suites, for programs.

use crate::{
    model::Suite,
    report::{Cell, Table},
};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Writes tables: each with its title, and its rows as objects.
pub fn tables(tables: &[Table], out: &mut dyn Write) -> io::Result<()> {
    let tables: Vec<Value> = tables.iter().map(table).collect();
    serde_json::to_writer_pretty(&mut *out, &tables)?;
    writeln!(out)
}

/// Writes a suite: every class, subject, variant and sample.
pub fn suite(suite: &Suite, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, suite)?;
    writeln!(out)
}

fn table(table: &Table) -> Value {
    let row = |cells: &Vec<Cell>| -> Map<String, Value> {
        let names = table.columns.iter().map(|name| (*name).to_owned());
        names.zip(cells.iter().map(|cell| cell.value.clone())).collect()
    };
    json!({ "title": table.title, "rows": table.rows.iter().map(row).collect::<Vec<_>>() })
}
