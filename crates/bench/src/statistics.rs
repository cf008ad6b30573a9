//! Figures from samples.

use crate::model::{Metric, Sample, Summary};

/// Probability of the intervals.
const LEVEL: f64 = 0.99;
/// Resampling is random, and gives the same for the same samples.
const SEED: u64 = 0x0070_6870_7065_7266;
/// A subject that costs no more than this per revolution, in nanoseconds, does nothing that a clock can see.
const NOTHING: f64 = 1.0;
/// Or no more than this share of what an empty subject costs.
const SHARE: f64 = 0.1;
/// Fewer revolutions do not show what so little costs.
const FEWEST: u64 = 100;

/// Figures of one or more samples.
pub(crate) fn summary(samples: &[Sample], metric: Metric) -> Summary {
    let values = |value: fn(&Sample) -> f64| {
        let values = samples.iter().map(value).collect();
        // Samples are integers divided by integers above 0.
        stats::Sample::new(values)
            .unwrap_or_else(|_| stats::Sample::new(vec![0.0]).expect("one finite figure"))
    };
    let sample = values(Sample::per_revolution);
    let (median, interval) = (sample.median(), sample.median_interval(LEVEL, SEED));
    let empty = values(|sample| sample.empty).median();
    let mean = sample.mean();
    let stdev = sample.population_deviation();
    let relative = stdev / mean.abs() * 100.0;
    Summary {
        median,
        interval: (interval.low, interval.high),
        level: interval.level,
        mad: sample.mad(),
        mode: sample.phpbench_mode(),
        mean,
        min: sample.min(),
        max: sample.max(),
        stdev,
        rstdev: if relative.is_finite() { relative } else { 0.0 },
        outliers: sample.outliers().total(),
        modes: sample.modes().len(),
        no_op: metric == Metric::Time
            && interval.level >= LEVEL
            && samples.iter().all(|sample| sample.revolutions >= FEWEST)
            && interval.low <= NOTHING.max(SHARE * empty)
            && median <= empty / 2.0,
        empty,
        clock: values(|sample| sample.clock as f64).median(),
    }
}
