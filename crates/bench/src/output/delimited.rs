//! Tables for spreadsheets: values as programs read them, after a line of names.

use crate::report::Table;
use serde_json::Value;
use std::io::{self, Write};

/// Writes a table with `delimiter` between its cells.
pub fn delimited(table: &Table, delimiter: char, out: &mut dyn Write) -> io::Result<()> {
    let mut line = |cells: Vec<String>| writeln!(out, "{}", cells.join(&delimiter.to_string()));
    line(table.columns.iter().map(|name| quoted(name, delimiter)).collect())?;
    for row in &table.rows {
        line(
            row.iter()
                .map(|cell| quoted(&plain(&cell.value), delimiter))
                .collect(),
        )?;
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn quoted(text: &str, delimiter: char) -> String {
    if text.contains([delimiter, '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
