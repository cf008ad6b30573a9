//! What was measured of a variant: its samples, and figures from them.

use serde::{Deserialize, Serialize};

/// The samples of a variant, all of them, and what is derived from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// In the order in which they were taken.
    pub samples: Vec<Sample>,
    /// Figures per revolution.
    pub summary: Summary,
}

/// One iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Which of the iterations that were asked for it belongs to, from 0.
    pub iteration: u32,
    /// Calls in it.
    pub revolutions: u64,
    /// What the clock or counter said, for all revolutions.
    pub raw: i64,
    /// What of that is not the subject's: the clock, the loop and the call, as an empty subject costs them in
    /// the same process.
    pub overhead: i64,
    /// The cost of the clock, or counter, alone in that process.
    pub clock: i64,
    /// What an empty subject cost there, per revolution.
    pub empty: f64,
    /// Memory at its end.
    pub memory: Option<Memory>,
    /// Whether it lies outside the retry threshold, so that another one was taken. It counts all the same.
    pub retried: bool,
}

impl Sample {
    /// The subject's own cost, for all revolutions; may be negative for a subject that does nothing.
    pub const fn net(&self) -> i64 {
        self.raw.saturating_sub(self.overhead)
    }

    /// The subject's own cost per revolution.
    pub fn per_revolution(&self) -> f64 {
        self.net() as f64 / self.revolutions.max(1) as f64
    }
}

/// Memory of the process of an iteration, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The most that was in use at a time.
    pub peak: u64,
    /// What was taken from the system at the end.
    pub real: u64,
    /// What was in use at the end.
    pub r#final: u64,
}

/// Figures per revolution, in the unit of the subject's [`Metric`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The middle sample.
    pub median: f64,
    /// The median's bootstrap interval.
    pub interval: (f64, f64),
    /// The probability that the interval reaches: 0.99, or less where there are too few samples.
    pub level: f64,
    /// The median of the distances from the median.
    pub mad: f64,
    /// The top of a Gaussian kernel density estimate, as `PHPBench` computes it.
    pub mode: f64,
    /// The average.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// Standard deviation, of the population.
    pub stdev: f64,
    /// Standard deviation in percent of the mean.
    pub rstdev: f64,
    /// Samples that lie far from the others.
    pub outliers: usize,
    /// Tops of the distribution; more than one means that the subject has several speeds.
    pub modes: usize,
    /// Whether the subject costs no more than an empty one.
    pub no_op: bool,
    /// What an empty subject costs per revolution; the median of the samples' own.
    pub empty: f64,
    /// What the clock costs; the median of the samples' own.
    pub clock: f64,
}
