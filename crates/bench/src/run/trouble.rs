//! What keeps a sample from being taken.

use crate::{Error, model::Failure};

/// Why there is no sample.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The subject's fault: the others go on.
    Subject(Failure),
    /// Ctrl-C.
    Interrupted,
    /// The run's: it ends.
    Run(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Run(error)
    }
}

impl Trouble {
    pub(super) fn subject(message: impl AsRef<str>) -> Self {
        Self::Subject(Failure::new(message))
    }
}
