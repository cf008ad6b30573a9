//! `PHPBench`'s XML: runs of its own are read, and runs are written so that it reads them.
//!
//! `PHPBench` keeps whole microseconds and knows no overhead. What is written has the exact figure beside its own, as
//! `time-ns`, so that a run comes back as it was except for what was subtracted.

mod read;
mod write;

pub use read::read;
pub use write::write;

/// Why a file is no XML of `PHPBench`: one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum XmlError {
    /// It is no XML.
    #[error("it is no XML: {0}")]
    Syntax(String),
    /// It is other XML.
    #[error("it is no XML of PHPBench: {0}")]
    Foreign(String),
}

#[cfg(test)]
mod tests;
