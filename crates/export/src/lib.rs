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
//!     exporter.add(symbols, &sample.into(), &mut out)?;
//! }
//! exporter.finish(symbols, recording, &mut out)?;
//! # Ok(()) }
//! # fn report(path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
//! let mut saved = export::read(path)?;
//! let focus = vec!["state=waiting".parse()?];
//! export::Selection { focus, ..Default::default() }.apply(&mut saved)?;
//! let report = Report::new(&saved);
//! report.write_text(120, Some(20), &mut std::io::stdout())?;
//! # Ok(()) }
//! ```

// What a format needs is not taken apart by feature: each small build would have its own list.
#![cfg_attr(
    not(all(feature = "svg", feature = "pprof", feature = "speedscope")),
    allow(dead_code, unused_imports)
)]

mod callgrind;
mod convert;
mod counts;
mod describe;
mod diff;
mod escape;
mod exporter;
mod folded;
mod format;
mod json;
mod labels;
mod native;
#[cfg(feature = "otlp")]
mod otlp;
mod phpspy;
#[cfg(feature = "pprof")]
mod pprof;
mod read;
mod recording;
mod report;
mod select;
#[cfg(feature = "speedscope")]
mod speedscope;
#[cfg(any(feature = "pprof", feature = "otlp"))]
mod strings;
#[cfg(feature = "svg")]
mod svg;
#[cfg(test)]
mod testing;

pub use diff::{Change, Diff, DiffError, Pair, Scale, Side};
pub use exporter::{Exporter, Seen};
pub use format::{Format, FormatError};
pub use labels::Labels;
pub use phpspy::{Notes, Shape, print, print_frames, print_labels, print_memory, print_notes};
pub use read::{ReadError, Row, Saved, read, read_from};
pub use recording::Recording;
pub use report::{Amount, Entry, Groups, Report};
pub use select::{By, Filter, FilterError, Focus, FocusError, Matcher, SelectError, Selection};
