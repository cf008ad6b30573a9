//! Why a comparison has no answer.

use stats::{MAX_PAIRS, StatsError};
use std::error::Error;
use thiserror::Error;

/// Why a plan cannot be made, or a comparison was given up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrialError {
    /// So many pairs are not analysed.
    #[error("{0} pairs cannot be planned: give 1 to {MAX_PAIRS}")]
    Pairs(usize),
    /// The margin is none.
    #[error("a margin of {0} makes no sense: give a share from 0 to 1, such as 0.01")]
    Margin(f64),
    /// The level is none.
    #[error("a level of {0} makes no sense: give a probability from 0.5 to 0.99999, such as 0.997")]
    Level(f64),
    /// One side could not be measured.
    #[error("{side} could not be measured: {why}")]
    Measure {
        /// `A` or `B`.
        side: char,
        /// What it said.
        why: Box<dyn Error + Send + Sync>,
    },
    /// What a report that was kept says.
    #[error("{0}")]
    Kept(String),
    /// The figures cannot be analysed.
    #[error(transparent)]
    Figures(#[from] StatsError),
}

impl TrialError {
    /// That a side, 0 for A and 1 for B, could not be measured.
    pub fn of_side(index: usize, why: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Measure {
            side: if index == 0 { 'A' } else { 'B' },
            why: why.into(),
        }
    }
}
