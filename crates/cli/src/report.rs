//! `phperf report`.

use crate::{
    args::{self, Shape},
    saved,
};
use anyhow::Result;
use export::Report;

/// Prints self and total by function.
pub fn run(asked: &args::Report) -> Result<u8> {
    let saved = saved::read(&asked.file, &saved::selection(&asked.selection)?)?;
    let report = Report::new(&saved);
    saved::print(|out| match asked.format {
        Shape::Text => report.write_text(saved::width(), saved::rows(asked.top), out),
        Shape::Json => report.write_json(out),
    })?;
    Ok(0)
}
