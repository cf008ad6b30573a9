//! Writes profiles in the formats that other tools read, reads them back, and reports on them.
//!
//! An [`Exporter`] turns samples into bytes for whatever writer the caller holds; it opens no file and knows
//! no process. It must not know where samples come from: everything it says is in [`profile`]'s types and in
//! the [`Recording`].

mod counts;
mod escape;
mod exporter;
mod folded;
mod format;
mod phpspy;
#[cfg(test)]
mod testing;

pub use exporter::{Exporter, Recording};
pub use format::{Format, FormatError};
