//! Tables for a terminal.

use crate::report::Table;
use std::io::{self, Write};

/// Writes a table with lines around its cells; numbers stand to the right.
pub fn console(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    if !table.title.is_empty() {
        writeln!(out, "{}", table.title)?;
    }
    let width = |at: usize| {
        let cells = table.rows.iter().map(|row| length(&row[at].text));
        cells.chain([length(table.columns[at])]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(width + 2)).collect();
    let line = format!("+{}", dashes.join("+"));
    writeln!(out, "{line}+")?;
    for (name, &width) in table.columns.iter().zip(&widths) {
        write!(out, "| {name:width$} ")?;
    }
    writeln!(out, "|\n{line}+")?;
    for row in &table.rows {
        for (cell, &width) in row.iter().zip(&widths) {
            let text = shown(&cell.text);
            if cell.value.is_number() {
                write!(out, "| {text:>width$} ")?;
            } else {
                write!(out, "| {text:width$} ")?;
            }
        }
        writeln!(out, "|")?;
    }
    writeln!(out, "{line}+\n")
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A text for a terminal. Names come from programs: what moves the cursor is not written.
pub fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '�' } else { c })
        .collect()
}
