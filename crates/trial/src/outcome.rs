//! How a comparison ended.

use crate::Look;
use stats::LogRatios;

/// Why a trial was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It was decided.
    Decided,
    /// All pairs of the plan were measured.
    AllPairs,
    /// From outside: a time budget, Ctrl-C.
    Early,
}

/// The answer of a trial, with all its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What the pairs say.
    pub look: Look,
    /// Why there are no more.
    pub stopped: Stopped,
    /// The figures of A, by pair.
    pub a: Vec<f64>,
    /// The figures of B, by pair.
    pub b: Vec<f64>,
    /// The logarithms of B / A, by pair; for [`stats::geometric_mean`].
    pub ratios: LogRatios,
}
