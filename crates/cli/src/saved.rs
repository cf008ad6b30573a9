//! Saved profiles, and what of them is to be counted.

use crate::{UsageError, args};
use anyhow::Result;
use export::{Filter, ReadError, Saved, Selection};
use std::{
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

/// Columns where standard output is no terminal.
const WIDTH: usize = 100;

/// Reads a profile of any format, without what is not to be counted.
pub fn read(file: &Path, selection: &Selection) -> Result<Saved> {
    let mut saved = export::read(file).map_err(|error| match error {
        ReadError::File { .. } => anyhow::Error::from(error),
        error => anyhow::Error::from(error).context(format!("cannot read {}", file.display())),
    })?;
    selection
        .apply(&mut saved)
        .map_err(|error| UsageError(format!("{}: {error}", file.display())))?;
    Ok(saved)
}

/// A profile that is read is not to be written over.
pub fn keep(read: &Path, written: &Path) -> Result<()> {
    match (fs::canonicalize(read), fs::canonicalize(written)) {
        (Ok(one), Ok(other)) if one == other && one.is_file() => Err(UsageError(format!(
            "{} would take the place of what is read: name another file with -o",
            written.display()
        ))
        .into()),
        _ => Ok(()),
    }
}

/// Which samples count.
pub fn selection(asked: &args::Selection) -> Result<Selection> {
    let focus = asked.focus.iter().map(|text| {
        text.parse()
            .map_err(|error: export::FocusError| UsageError(error.to_string()))
    });
    Ok(Selection {
        focus: focus.collect::<Result<_, _>>()?,
        filter: filter(&asked.filter)?,
    })
}

/// Which stacks count.
pub fn filter(asked: &args::Filter) -> Result<Filter> {
    let [function, file, ignore] = [&asked.function, &asked.file, &asked.ignore].map(Option::as_deref);
    Ok(Filter::new(function, file, ignore).map_err(|error| UsageError(error.to_string()))?)
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
