//! What a run found, for people and for tools.

use crate::{Outcome, Plan, TrialError};
use stats::{Estimate, LogRatios, geometric_mean};
use std::io::{self, Write};

/// What the figures count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Memory,
    /// Instructions.
    Instructions,
}

/// One side of all comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What it is: a command line, a revision, an address.
    pub label: String,
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
    /// What was measured, such as `wall`.
    pub metric: String,
    /// What the figures count.
    pub kind: Kind,
    /// The plan of each comparison.
    pub plan: Plan,
    /// The seed of all that was drawn.
    pub seed: u64,
    /// Why not all was measured, such as `interrupted`; `None` if it was.
    pub partial: Option<String>,
    /// In the order of the suite.
    pub entries: Vec<Entry>,
}

impl Report {
    /// The geometric mean of B / A over all comparisons that have an answer; `None` with fewer than two.
    pub fn geometric_mean(&self) -> Option<Estimate> {
        let ratios: Vec<LogRatios> = self
            .entries
            .iter()
            .filter_map(|entry| entry.outcome.as_ref().ok())
            .map(|outcome| outcome.ratios.clone())
            .filter(|ratios| !ratios.is_empty())
            .collect();
        (ratios.len() > 1).then(|| geometric_mean(&ratios, self.plan.confidence(), self.seed).ok())?
    }
}

/// For a terminal, `width` columns wide.
pub fn write_text(_report: &Report, _width: usize, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

/// For other tools: one object, with every figure.
pub fn write_json(_report: &Report, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

/// For a comment in a code review.
pub fn write_markdown(_report: &Report, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

/// For what shows the tests of a CI.
pub fn write_junit(_report: &Report, _out: &mut dyn Write) -> io::Result<()> {
    Ok(())
}
