//! Figures of one thing, measured again and again.

use crate::{Histogram, Interval, Mode, Outliers, StatsError, kde, median_interval, modes};

/// Makes the median absolute deviation of normal figures their standard deviation.
const NORMAL: f64 = 1.482_602_218_505_602;

/// One or more finite figures, all of them kept, in the order in which they were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    values: Vec<f64>,
    sorted: Vec<f64>,
}

impl Sample {
    /// Figures as they were measured. None, or one that is not finite, is an error.
    pub fn new(values: Vec<f64>) -> Result<Self, StatsError> {
        if values.is_empty() {
            return Err(StatsError::Empty);
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(StatsError::NotFinite {
                index,
                value: values[index],
            });
        }
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        Ok(Self { values, sorted })
    }

    /// Integer figures, such as nanoseconds.
    pub fn from_integers(values: &[u64]) -> Result<Self, StatsError> {
        Self::new(values.iter().map(|&value| value as f64).collect())
    }

    /// In the order in which they were measured.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The smallest first.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// How many there are; never 0.
    #[allow(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The smallest.
    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// The largest.
    pub fn max(&self) -> f64 {
        self.sorted[self.len() - 1]
    }

    /// The arithmetic mean.
    pub fn mean(&self) -> f64 {
        mean(&self.values)
    }

    /// The standard deviation as estimated for what the figures are a sample of (divided by n − 1); 0 for a single one.
    pub fn deviation(&self) -> f64 {
        match self.len() {
            1 => 0.0,
            n => (self.squares() / (n as f64 - 1.0)).sqrt(),
        }
    }

    /// The standard deviation of the figures themselves (divided by n), which is what `PHPBench` prints.
    pub fn population_deviation(&self) -> f64 {
        (self.squares() / self.len() as f64).sqrt()
    }

    fn squares(&self) -> f64 {
        let mean = self.mean();
        self.values.iter().map(|value| (value - mean).powi(2)).sum()
    }

    /// The figure below which the fraction `at` (0 to 1) of them lies, interpolated between neighbours.
    pub fn quantile(&self, at: f64) -> f64 {
        quantile(&self.sorted, at)
    }

    /// The middle one; between the two middle ones where their number is even.
    pub fn median(&self) -> f64 {
        median(&self.sorted)
    }

    /// The median absolute deviation: the median distance from the median.
    pub fn mad(&self) -> f64 {
        let middle = self.median();
        let mut distances: Vec<f64> = self.sorted.iter().map(|value| (value - middle).abs()).collect();
        distances.sort_by(f64::total_cmp);
        median(&distances)
    }

    /// The spread as a share of the median: 1.4826 MAD / median, which for normal figures is the relative standard
    /// deviation, and which single outliers do not move. Not finite where the median is 0.
    pub fn relative_spread(&self) -> f64 {
        self.mad() * NORMAL / self.median()
    }

    /// An interval of the median; see [`median_interval`].
    pub fn median_interval(&self, level: f64, seed: u64) -> Interval {
        median_interval(self, level, seed)
    }

    /// The mode as `PHPBench` computes it; see [`crate::phpbench_mode`]. Single far outliers move it a long way.
    pub fn phpbench_mode(&self) -> f64 {
        kde::phpbench_mode(&self.values)
    }

    /// The peaks of its distribution; more than one says that the figures are of several kinds; see [`modes`].
    pub fn modes(&self) -> Vec<Mode> {
        modes(self)
    }

    /// How many lie far out; see [`Outliers`].
    pub fn outliers(&self) -> Outliers {
        Outliers::of(self)
    }

    /// Counts in bins of one width between `low` and `high`; see [`Histogram`].
    pub fn histogram(&self, low: f64, high: f64, bins: usize) -> Histogram {
        Histogram::of(&self.sorted, low, high, bins)
    }
}

/// The mean of a slice that is not empty.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median of a sorted slice that is not empty.
pub(crate) fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    } else {
        sorted[middle]
    }
}

/// A quantile of a sorted slice that is not empty: linear between neighbours, as R's type 7.
pub(crate) fn quantile(sorted: &[f64], at: f64) -> f64 {
    let last = sorted.len() - 1;
    let place = at.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    let share = place - below as f64;
    sorted[below] + (sorted[above] - sorted[below]) * share
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these figures are exact")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
    }

    #[test]
    fn figures_of_a_known_sample() {
        let known = Sample::from_integers(&[2, 4, 4, 4, 5, 5, 7, 9]).unwrap();
        assert!(close(known.mean(), 5.0));
        assert!(close(known.population_deviation(), 2.0));
        assert!(close(known.deviation(), (32.0_f64 / 7.0).sqrt()));
        assert!(close(known.median(), 4.5));
        assert!(close(known.mad(), 0.5));
        assert!(close(known.quantile(0.25), 4.0));
        assert!(close(known.quantile(0.9), 7.6));
        assert_eq!((known.min(), known.max()), (2.0, 9.0));
        assert_eq!(known.values()[0], 2.0);
    }

    #[test]
    fn one_figure_has_no_spread() {
        let one = sample(&[3.0]);
        assert_eq!(
            (one.deviation(), one.mad(), one.median(), one.mean()),
            (0.0, 0.0, 3.0, 3.0)
        );
    }

    #[test]
    fn what_is_no_figure_is_refused() {
        assert_eq!(Sample::new(vec![]), Err(StatsError::Empty));
        let error = Sample::new(vec![1.0, f64::NAN]).unwrap_err();
        assert!(error.to_string().starts_with("figure 1 is NaN"), "{error}");
    }

    proptest! {
        #[test]
        fn shifts_and_scales(values in prop::collection::vec(-1e6..1e6_f64, 1..60), shift in -1e6..1e6_f64, scale in 0.1..10.0_f64) {
            let plain = sample(&values);
            let moved = sample(&values.iter().map(|v| v * scale + shift).collect::<Vec<_>>());
            let near = |one: f64, other: f64| (one - other).abs() < 1e-6 * (1.0 + one.abs());
            prop_assert!(near(moved.median(), plain.median() * scale + shift));
            prop_assert!(near(moved.mean(), plain.mean() * scale + shift));
            prop_assert!(near(moved.mad(), plain.mad() * scale));
            prop_assert!(near(moved.deviation(), plain.deviation() * scale));
        }

        #[test]
        fn quantiles_grow_from_the_smallest_to_the_largest(values in prop::collection::vec(-1e6..1e6_f64, 1..60)) {
            let sample = sample(&values);
            let steps: Vec<f64> = (0..=20_u32).map(|i| sample.quantile(f64::from(i) / 20.0)).collect();
            prop_assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert_eq!(steps[0], sample.min());
            prop_assert_eq!(steps[20], sample.max());
            prop_assert!(close(sample.quantile(0.5), sample.median()));
        }
    }
}
