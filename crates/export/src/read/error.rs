//! Why a file could not be read.

use std::io;
use thiserror::Error;

/// Why a file could not be read as a profile.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error("cannot read {path}: {error}")]
    File {
        /// Its name.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// Reading stopped in the middle.
    #[error("reading stopped: {0}; if the file was cut off, record it again")]
    Io(io::Error),
    /// Nothing is in it.
    #[error("the file is empty: the recording took no samples, or was not finished")]
    Empty,
    /// None of the formats.
    #[error(
        "this is no profile that phperf knows; it reads svg (its own), pprof, folded, speedscope and phpspy text"
    )]
    Unknown,
    /// A flame graph of another tool.
    #[error("this SVG carries no profile: only flame graphs that phperf wrote can be read back")]
    BareSvg,
    /// A format that is written only.
    #[error("files of format {0} cannot be read back: use the profile that this one was made from")]
    WrittenOnly(crate::Format),
    /// One line of a text format is not what it should be.
    #[error("line {line} is not as the format has it: {why}")]
    Line {
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        why: &'static str,
    },
    /// A format that is not text is not what it should be.
    #[error("the file is damaged or not quite {format}: {why}")]
    Malformed {
        /// The format it seemed to be.
        format: crate::Format,
        /// What is wrong.
        why: String,
    },
    /// A bound was reached.
    #[error("the file is too large to be read whole (more than {} MiB unpacked); record less, or as folded", .0 >> 20)]
    TooLarge(u64),
    /// This build cannot read the format.
    #[error(transparent)]
    Format(#[from] crate::FormatError),
}

/// The message has it already, so that it is no source.
impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
