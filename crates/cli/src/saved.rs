//! Saved profiles, and what of them is to be counted.

use crate::{UsageError, args::Selection};
use anyhow::Result;
use export::{Focus, ReadError, Saved};
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

/// Columns where standard output is no terminal.
const WIDTH: usize = 100;

/// Reads a profile of any format.
pub fn read(file: &Path) -> Result<Saved> {
    export::read(file).map_err(|error| match error {
        ReadError::File { .. } => anyhow::Error::from(error),
        error => anyhow::Error::from(error).context(format!("cannot read {}", file.display())),
    })
}

/// The labels that samples have to have.
pub fn focus(asked: &Selection) -> Result<Vec<Focus>> {
    let focus = asked.focus.iter().map(|text| {
        text.parse()
            .map_err(|error: export::FocusError| UsageError(error.to_string()))
    });
    Ok(focus.collect::<Result<_, _>>()?)
}

/// The columns that there are.
pub fn width() -> usize {
    terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into())
}

/// How many rows a table is to have.
pub fn rows(top: usize) -> Option<usize> {
    Some(top).filter(|&top| top > 0)
}

/// Writes to standard output.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    out.flush()?;
    Ok(())
}
