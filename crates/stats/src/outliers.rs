//! Figures that lie far from the others.

use crate::Sample;

/// Fences in interquartile ranges from the nearer quartile.
const NEAR: f64 = 1.5;
const FAR: f64 = 3.0;

/// How many figures lie outside of Tukey's fences: more than 1.5 interquartile ranges below the lower or above the
/// upper quartile; `far` ones more than 3. They are counted and never left out. Of normal figures 0.7 % lie outside; where
/// half of the figures are equal, every other one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outliers {
    /// Below the inner fence, the far ones included.
    pub low: usize,
    /// Of these, below the outer fence.
    pub far_low: usize,
    /// Above the inner fence, the far ones included.
    pub high: usize,
    /// Of these, above the outer fence.
    pub far_high: usize,
}

impl Outliers {
    /// Counts them.
    pub fn of(sample: &Sample) -> Self {
        let ((low, high), (far_low, far_high)) = (fences(sample, NEAR), fences(sample, FAR));
        let below = |fence: f64| sample.sorted().partition_point(|&value| value < fence);
        let above = |fence: f64| sample.len() - sample.sorted().partition_point(|&value| value <= fence);
        Self {
            low: below(low),
            far_low: below(far_low),
            high: above(high),
            far_high: above(far_high),
        }
    }

    /// The inner fences: what lies outside of them is an outlier.
    pub fn fences(sample: &Sample) -> (f64, f64) {
        fences(sample, NEAR)
    }

    /// On both sides.
    pub fn total(&self) -> usize {
        self.low + self.high
    }
}

/// So many interquartile ranges from the quartiles.
fn fences(sample: &Sample, ranges: f64) -> (f64, f64) {
    let (lower, upper) = (sample.quantile(0.25), sample.quantile(0.75));
    let range = upper - lower;
    (lower - ranges * range, upper + ranges * range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_by_side_and_distance() {
        // Quartiles 10 and 20: fences at -5 and 35, outer ones at -20 and 50.
        let values = [-6.0, 10.0, 10.0, 10.0, 15.0, 20.0, 20.0, 20.0, 51.0];
        let outliers = Sample::new(values.to_vec()).unwrap().outliers();
        let expected = Outliers {
            low: 1,
            far_low: 0,
            high: 1,
            far_high: 1,
        };
        assert_eq!(outliers, expected);
        assert_eq!(outliers.total(), 2);
    }

    proptest! {
        #[test]
        fn never_more_than_half(values in prop::collection::vec(-1e6..1e6_f64, 1..100)) {
            let sample = Sample::new(values).unwrap();
            let outliers = sample.outliers();
            prop_assert!(outliers.total() * 2 <= sample.len());
            prop_assert!(outliers.far_low <= outliers.low && outliers.far_high <= outliers.high);
        }
    }
}
