//! What measured figures say: location and spread, modes, outliers, intervals, and paired comparisons.
//!
//! A leaf: no I/O, no clock, no unit. Figures come in as integers (nanoseconds, bytes, instructions) or as `f64`,
//! and go out as `f64` in the same unit. Whatever draws random numbers takes a seed and gives the same answer for the
//! same seed. It must not know what was measured, nor what will show it.

mod bootstrap;
mod error;
mod histogram;
mod interval;
mod kde;
mod log_ratios;
mod modes;
mod outliers;
mod sample;
mod signed_rank;
mod turns;

pub use bootstrap::{geometric_mean, median_interval, ratio_of_medians};
pub use error::StatsError;
pub use histogram::Histogram;
pub use interval::{Estimate, Interval};
pub use kde::phpbench_mode;
pub use log_ratios::LogRatios;
pub use modes::{Mode, modes};
pub use outliers::Outliers;
pub use sample::Sample;
pub use signed_rank::{MAX_PAIRS, fewest_pairs};
pub use turns::from_turns;
