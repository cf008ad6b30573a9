//! Reads a saved profile, whatever its format: told by its content, not by its name.
//!
//! What is in a file may be anybody's: lengths, depths and sizes are bounded, and nothing panics.

mod builder;
mod error;
mod lines;
mod open;

pub use builder::{Builder, Row, Saved};
pub use error::ReadError;
pub use lines::Lines;
pub use open::{read, read_from};

/// The deepest stack that is read.
pub const MAX_DEPTH: usize = 10_000;

/// The largest file that has to be held in memory (JSON, SVG, pprof), in bytes when it is unpacked.
pub const MAX_WHOLE: u64 = 256 << 20;
