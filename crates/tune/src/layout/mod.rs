//! Where the text of an ELF file has to lie, in the file and in memory, so that all of it fits on huge pages: planned from
//! the program headers alone, and carried out on bytes. No I/O.

mod plan;
mod rewrite;
#[cfg(test)]
mod testing;

pub(crate) use plan::overlap;
pub use plan::{Plan, Reach};
pub use rewrite::rewrite;

/// Why the text of a file cannot be moved onto huge pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is nothing to execute.
    #[error("it has no code")]
    NoText,
    /// Less than one huge page.
    #[error("its code fills no huge page, not even with what is read-only beside it")]
    TooSmall,
    /// Code in several places, as some linkers make it.
    #[error("it has {0} segments with code, and only one can be moved")]
    SeveralTexts(usize),
    /// Code that is written into.
    #[error("its code can be written to")]
    Writable,
    /// The headers contradict one another.
    #[error("its headers contradict one another ({0})")]
    Contradiction(&'static str),
}
