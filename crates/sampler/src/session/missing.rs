//! Values of variables that were asked for and are not there.

use crate::{Values, resolve::MOST_CONTEXTS};

/// How many, of the samples that were handed over.
#[derive(Debug, Default)]
pub struct Missing {
    torn: u64,
    unread: u64,
    left_out: u64,
    /// Samples without a label, since there are too many different ones.
    pub unlabelled: u64,
}

impl Missing {
    /// Counts those of a sample.
    pub const fn count(&mut self, values: &Values) {
        self.torn += values.are_torn as u64;
        self.unread += values.unread;
        self.left_out += values.left_out;
    }

    /// The same for people, if there are any.
    pub fn note(&self) -> Option<String> {
        let Self {
            torn,
            unread,
            left_out,
            unlabelled,
        } = self;
        (torn + unread + left_out + unlabelled > 0).then(|| {
            format!(
                "values of variables that are missing: all of {torn} samples, since the target moved while they were read; \
                 {unread} that could not be read; {left_out} more than a sample has room for; {unlabelled} samples beyond {MOST_CONTEXTS} different ones"
            )
        })
    }
}
