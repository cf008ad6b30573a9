//! `phperf report`.

use crate::{
    UsageError,
    args::{self, Shape},
    saved,
};
use anyhow::Result;
use export::{Groups, Report};

/// Prints self and total by function, or the share of each value of a label.
pub fn run(asked: &args::Report) -> Result<u8> {
    let saved = saved::read(&asked.file, &saved::selection(&asked.selection)?)?;
    if let Some(by) = asked.by {
        let groups = Groups::new(&saved, by)
            .map_err(|error| UsageError(format!("{}: {error}", asked.file.display())))?;
        saved::print(|out| match asked.format {
            Shape::Text => groups.write_text(saved::width(), saved::rows(asked.top), out),
            Shape::Json => groups.write_json(out),
        })?;
        return Ok(0);
    }
    let report = Report::new(&saved);
    saved::print(|out| match asked.format {
        Shape::Text => report.write_text(saved::width(), saved::rows(asked.top), out),
        Shape::Json => report.write_json(out),
    })?;
    Ok(0)
}
