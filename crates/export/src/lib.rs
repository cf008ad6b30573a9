//! Writes profiles in the formats that other tools read, reads them back, and reports on them.
//!
//! An [`Exporter`] turns samples into bytes for whatever writer the caller holds; it opens no file and knows
//! no process. It must not know where samples come from: everything it says is in [`profile`]'s types and in
//! the [`Recording`]. [`read`] is the way back, from a file to a [`Saved`] profile; a [`Report`] adds one up.

mod counts;
mod describe;
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

pub use exporter::{Exporter, Recording};
pub use format::{Format, FormatError};
pub use read::{Labels, ReadError, Row, Saved, read, read_from};
pub use report::{Amount, Entry, Focus, FocusError, Report};
