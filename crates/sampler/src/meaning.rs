//! What a record turns out to be.

use crate::{Values, record::TaskHeader, waits::Span};
use profile::Sample;
use remote::wait::Entered;

/// What a record turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A sample.
    Sample(Told),
    /// Something happened to a task.
    Task(TaskHeader),
    /// An announcement: nothing to do.
    Nothing,
}

/// A sample as a source tells it, with what it says besides.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// The sample.
    pub sample: Sample,
    /// Whether its outermost frames are there.
    pub whole: Whole,
    /// It was read twice.
    pub retried: bool,
    /// It is known which request it is of.
    pub has_request: bool,
    /// Where it stands for a wait, when that was.
    pub span: Option<Span>,
    /// In which system call it waited, where that was asked and is known.
    pub entered: Option<Entered>,
    /// What variables held then, where that was asked for.
    pub values: Option<Values>,
}

impl Told {
    /// A whole stack that was read once, of which nothing else is known.
    pub const fn of(sample: Sample) -> Self {
        Self {
            sample,
            whole: Whole::Yes,
            retried: false,
            has_request: false,
            span: None,
            entered: None,
            values: None,
        }
    }
}

/// Whether a stack has its outermost frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// It has.
    Yes,
    /// There are more than the limit.
    Cut,
    /// They could not be read, or PHP does not link them at that moment.
    Broken,
}
