//! Why figures cannot be analysed.

use thiserror::Error;

/// Why figures cannot be analysed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StatsError {
    /// There is no figure.
    #[error("there are no figures to analyse: measure at least once")]
    Empty,
    /// A figure is infinite or not a number.
    #[error("figure {index} is {value}: only finite figures can be analysed, check where it comes from")]
    NotFinite {
        /// Its place, from 0.
        index: usize,
        /// What it is.
        value: f64,
    },
    /// A pair's figure is not above 0, so that there is no ratio.
    #[error(
        "pair {pair} is {a} against {b}: a ratio needs figures above 0, measure more work at once or in a finer unit"
    )]
    NoRatio {
        /// Its place, from 0.
        pair: usize,
        /// The figure of A.
        a: f64,
        /// The figure of B.
        b: f64,
    },
    /// More pairs than the exact test is made for.
    #[error(
        "{pairs} pairs are more than the {most} that are analysed exactly: measure more work in each pair"
    )]
    TooMany {
        /// So many.
        pairs: usize,
        /// So many may be.
        most: usize,
    },
}
