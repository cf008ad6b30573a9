//! `phperf report`.

use crate::{
    UsageError,
    args::{self, ReportFormat},
};
use anyhow::Result;
use export::{Focus, Report};
use std::io::{self, BufWriter, Write};

/// Columns where standard output is no terminal.
const WIDTH: usize = 100;

/// Prints self and total by function.
pub fn run(asked: &args::Report) -> Result<u8> {
    let focus: Vec<Focus> = asked
        .focus
        .iter()
        .map(|text| {
            text.parse()
                .map_err(|error: export::FocusError| UsageError(error.to_string()))
        })
        .collect::<Result<_, _>>()?;
    let saved = export::read(&asked.file).map_err(|error| match error {
        export::ReadError::File { .. } => anyhow::Error::from(error),
        error => anyhow::Error::from(error).context(format!("cannot read {}", asked.file.display())),
    })?;
    let report = Report::new(&saved, &focus).map_err(|error| UsageError(error.to_string()))?;
    let mut out = BufWriter::new(io::stdout().lock());
    match asked.format {
        ReportFormat::Text => {
            let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into());
            report.write_text(width, Some(asked.top).filter(|&top| top > 0), &mut out)?;
        }
        ReportFormat::Json => report.write_json(&mut out)?,
    }
    out.flush()?;
    Ok(0)
}
