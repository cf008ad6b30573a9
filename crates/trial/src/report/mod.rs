//! What a run found, for people and for tools.

pub mod bars;
mod figure;
mod html;
mod json;
mod junit;
mod markdown;
mod picture;
mod read;
mod sentence;
mod text;

#[cfg(test)]
mod testing;

pub use figure::{Kind, change};
pub use html::write_html;
pub use json::write_json;
pub use junit::write_junit;
pub use markdown::write_markdown;
pub use read::{is_comparison, read_json};
pub use sentence::cells;
pub use text::write_text;

use crate::{Outcome, Plan, TrialError};
use stats::{Estimate, LogRatios, Sample, geometric_mean};

/// One side of all comparisons.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// What it is: a command line, a revision, an address.
    pub label: String,
    /// Where a figure is the mean of several observations, such as the requests of a batch: each of them.
    pub observations: Option<Sample>,
}

impl Side {
    /// A side whose figures are all that was observed.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            observations: None,
        }
    }
}

/// One comparison that was run.
#[derive(Debug)]
pub struct Entry {
    /// What was compared.
    pub name: String,
    /// What came of it.
    pub outcome: Result<Outcome, TrialError>,
}

/// Comparisons of one A with one B.
#[derive(Debug)]
pub struct Report {
    /// The baseline.
    pub a: Side,
    /// What is compared with it.
    pub b: Side,
    /// What was measured, such as `wall time`.
    pub metric: String,
    /// What the figures count.
    pub kind: Kind,
    /// The plan of each comparison.
    pub plan: Plan,
    /// The seed of all that was drawn.
    pub seed: u64,
    /// Why not all was measured, such as `interrupted`; `None` if it was.
    pub partial: Option<String>,
    /// What whoever reads the figures has to know, a sentence each.
    pub notes: Vec<String>,
    /// In the order of the suite.
    pub entries: Vec<Entry>,
}

impl Report {
    /// The geometric mean of B / A over all comparisons that have an interval; `None` with fewer than two.
    pub fn geometric_mean(&self) -> Option<Estimate> {
        let ratios: Vec<LogRatios> = self
            .entries
            .iter()
            .filter_map(|entry| entry.outcome.as_ref().ok())
            // Of too few pairs for an interval, the mean's would not hold either.
            .filter(|outcome| outcome.look.interval.is_some())
            .map(|outcome| outcome.ratios.clone())
            .collect();
        if ratios.len() < 2 {
            return None;
        }
        geometric_mean(&ratios, self.plan.confidence(), self.seed).ok()
    }
}
