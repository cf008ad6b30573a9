//! `phperf report`.

use crate::{
    UsageError,
    args::{self, Shape},
    saved,
};
use anyhow::Result;
use export::Report;

/// Prints self and total by function.
pub fn run(asked: &args::Report) -> Result<u8> {
    let focus = saved::focus(&asked.selection)?;
    let saved = saved::read(&asked.file)?;
    let report = Report::new(&saved, &focus).map_err(|error| UsageError(error.to_string()))?;
    saved::print(|out| match asked.format {
        Shape::Text => report.write_text(saved::width(), saved::rows(asked.top), out),
        Shape::Json => report.write_json(out),
    })?;
    Ok(0)
}
