//! Writes profiles in the formats that other tools read, reads them back, and reports on them.
//!
//! An [`Exporter`] turns samples into bytes for whatever writer the caller holds; it opens no file and knows
//! no process. It must not know where samples come from: everything it says is in [`profile`]'s types and in
//! the [`Recording`]. [`read`] is the way back, from a file to a [`Saved`] profile; a [`Report`] adds one up.
//!
//! ```
//! # use export::{Exporter, Format, FormatError, Report};
//! # use profile::{Sample, Symbols};
//! # fn write(symbols: &Symbols, samples: &[Sample], recording: &export::Recording) -> std::io::Result<()> {
//! let path = std::path::Path::new("out.folded");
//! let mut exporter = Format::from_path(path).and_then(Format::exporter).expect("an ending that is known");
//! let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
//! for sample in samples {
//!     exporter.sample(symbols, sample, &mut out)?;
//! }
//! exporter.finish(symbols, recording, &mut out)?;
//! # Ok(()) }
//! # fn report(path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
//! let report = Report::new(&export::read(path)?, &["state=waiting".parse()?])?;
//! report.write_text(120, Some(20), &mut std::io::stdout())?;
//! # Ok(()) }
//! ```

// What a format needs is not taken apart by feature: each small build would have its own list.
#![cfg_attr(
    not(all(feature = "svg", feature = "pprof", feature = "speedscope")),
    allow(dead_code, unused_imports)
)]

mod counts;
mod describe;
mod diff;
mod escape;
mod exporter;
mod folded;
mod format;
mod json;
mod phpspy;
#[cfg(feature = "pprof")]
mod pprof;
mod read;
mod report;
#[cfg(feature = "speedscope")]
mod speedscope;
#[cfg(feature = "svg")]
mod svg;
#[cfg(test)]
mod testing;

pub use diff::{Change, Diff, DiffError, Pair, Scale, Side};
pub use exporter::{Exporter, Recording};
pub use format::{Format, FormatError};
pub use read::{Labels, ReadError, Row, Saved, read, read_from};
pub use report::{Amount, Entry, Focus, FocusError, Report};
