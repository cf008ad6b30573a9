//! `phperf convert`.

use crate::{
    UsageError, args,
    output::{Output, Written},
    replacement::cannot,
    saved,
};
use anyhow::Result;
use export::{Format, Recording};

/// Writes a saved profile in another format, and says what that does not keep.
pub fn run(asked: &args::Convert) -> Result<u8> {
    let usage = |error: export::FormatError| UsageError(error.to_string());
    let format = match asked.format {
        Some(format) => format,
        None => Format::from_path(&asked.output).map_err(usage)?,
    };
    format.exporter().map_err(usage)?;
    saved::keep(&asked.file, &asked.output)?;
    let saved = saved::read(&asked.file, &saved::selection(&asked.selection)?)?;
    let mut output = Output::open(&asked.output, format)?;
    for seen in saved.seen() {
        output.add(&saved.symbols, &seen)?;
    }
    let written = output.finish(&saved.symbols, &Recording::of(&saved))?;
    let losses = saved.losses(format);
    if !losses.is_empty() {
        eprintln!(
            "phperf: {format} does not keep all that {} tells: {}",
            asked.file.display(),
            losses.join(", ")
        );
    }
    match written {
        Written::Stream => Ok(0),
        Written::File(path) => {
            eprintln!("wrote {} ({format})", path.display());
            Ok(0)
        }
        Written::Elsewhere { path, why } => Err(anyhow::Error::from(why).context(format!(
            "cannot write {}; what could be written is in {}",
            asked.output.display(),
            path.display()
        ))),
        Written::Broken(why) => Err(anyhow::Error::from(why).context(cannot(&asked.output, "-o"))),
    }
}
