//! Pairs of figures, as the logarithms of their ratios.

use crate::{Interval, MAX_PAIRS, StatsError, signed_rank::critical};

/// ln(B / A) of each pair, in the order in which they were measured: 0 is equal, 0.01 is B about 1 % above A.
///
/// The interval inverts Wilcoxon's signed-rank test. Where A and B are the same and the order within each pair was drawn
/// at random, the signs of the logarithms are fair coins, whatever the noise: its tails, its drift, or that
/// one pair is like the next. The test is exact for these coins, so that it needs no assumption on the noise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogRatios(Vec<f64>);

impl LogRatios {
    /// The logarithms for pairs (A, B) of figures, which have to be finite and above 0.
    pub fn new(pairs: &[(f64, f64)]) -> Result<Self, StatsError> {
        let mut ratios = Self::default();
        for &(a, b) in pairs {
            ratios.push(a, b)?;
        }
        Ok(ratios)
    }

    /// Takes one more pair.
    pub fn push(&mut self, a: f64, b: f64) -> Result<(), StatsError> {
        let pair = self.0.len();
        if pair == MAX_PAIRS {
            return Err(StatsError::TooMany {
                pairs: pair + 1,
                most: MAX_PAIRS,
            });
        }
        let ratio = (b / a).ln();
        if !(a > 0.0 && b > 0.0 && ratio.is_finite()) {
            return Err(StatsError::NoRatio { pair, a, b });
        }
        self.0.push(ratio);
        Ok(())
    }

    /// The logarithms.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The Hodges-Lehmann estimate of ln(B / A): the median of the means of all pairs of logarithms. NaN without pairs.
    pub fn location(&self) -> f64 {
        location(&self.0)
    }

    /// The interval of ln(B / A) that holds with a probability of `level` or more; `None` where there are too few
    /// pairs for that ([`crate::fewest_pairs`]).
    pub fn interval(&self, level: f64) -> Option<Interval> {
        let (sum, tail) = critical(self.len(), (1.0 - level) / 2.0)?;
        let mut means = walsh(&self.0);
        let last = means.len() - 1;
        let low = *means.select_nth_unstable_by(sum, f64::total_cmp).1;
        let high = *means.select_nth_unstable_by(last - sum, f64::total_cmp).1;
        Some(Interval {
            low,
            high,
            level: 1.0 - 2.0 * tail,
        })
    }
}

/// The Hodges-Lehmann estimate; NaN of nothing.
pub(crate) fn location(values: &[f64]) -> f64 {
    let mut means = walsh(values);
    let Some(last) = means.len().checked_sub(1) else {
        return f64::NAN;
    };
    let middle = means.len() / 2;
    let (below, &mut upper, _) = means.select_nth_unstable_by(middle, f64::total_cmp);
    if last % 2 == 0 {
        upper
    } else {
        let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        f64::midpoint(lower, upper)
    }
}

/// The mean of each value with itself and with each that comes after it.
fn walsh(values: &[f64]) -> Vec<f64> {
    values
        .iter()
        .enumerate()
        .flat_map(|(index, &one)| {
            values[index..]
                .iter()
                .map(move |&other| f64::midpoint(one, other))
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these figures are exact")]
mod tests {
    use super::*;

    use fastrand::Rng;
    use proptest::prelude::{prop, prop_assert, proptest};

    fn ratios(values: &[f64]) -> LogRatios {
        LogRatios(values.to_vec())
    }

    #[test]
    fn a_known_interval() {
        // The table's critical sum for ten pairs is 8: the ninth of the 55 means from either end.
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        let interval = ratios(&ten).interval(0.95).unwrap();
        assert_eq!((interval.low, interval.high), (3.0, 8.0));
        assert!((interval.level - 0.951_171_875).abs() < 1e-12);
        assert_eq!(ratios(&ten).location(), 5.5);
    }

    #[test]
    fn figures_without_a_ratio_are_refused() {
        let mut ratios = LogRatios::new(&[(100.0, 101.0)]).unwrap();
        assert!((ratios.values()[0] - 0.00995).abs() < 1e-5);
        for (a, b) in [
            (0.0, 1.0),
            (1.0, 0.0),
            (-1.0, -1.0),
            (f64::NAN, 1.0),
            (1.0, f64::INFINITY),
        ] {
            assert!(matches!(
                ratios.push(a, b),
                Err(StatsError::NoRatio { pair: 1, .. })
            ));
        }
        assert_eq!(ratios.len(), 1);
        assert!(LogRatios::default().location().is_nan());
        assert_eq!(LogRatios::default().interval(0.5), None);
    }

    #[test]
    fn the_interval_holds_as_often_as_it_says() {
        // Heavy tails: half of the pairs are a hundred times as noisy.
        let mut rng = Rng::with_seed(7);
        let missed = (0..2000)
            .filter(|_| {
                let values: Vec<f64> = (0..20)
                    .map(|_| (rng.f64() - 0.5) * if rng.bool() { 100.0 } else { 1.0 } + 3.0)
                    .collect();
                !ratios(&values).interval(0.95).unwrap().contains(3.0)
            })
            .count();
        assert!((60..=130).contains(&missed), "{missed} of 2000 at 5 %");
    }

    proptest! {
        #[test]
        fn swapping_the_sides_mirrors_the_answer(pairs in prop::collection::vec((1.0..1e9_f64, 1.0..1e9_f64), 12..40)) {
            let swapped: Vec<_> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let (one, other) = (LogRatios::new(&pairs).unwrap(), LogRatios::new(&swapped).unwrap());
            let (left, right) = (one.interval(0.99).unwrap(), other.interval(0.99).unwrap());
            prop_assert!((left.low + right.high).abs() < 1e-9 && (left.high + right.low).abs() < 1e-9);
            prop_assert!((one.location() + other.location()).abs() < 1e-9);
            prop_assert!(left.contains(one.location()));
        }

        #[test]
        fn a_higher_level_is_a_wider_interval(values in prop::collection::vec(-1.0..1.0_f64, 12..40)) {
            let (narrow, wide) = (ratios(&values).interval(0.9).unwrap(), ratios(&values).interval(0.99).unwrap());
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
            prop_assert!(wide.level >= 0.99 && narrow.level >= 0.9);
        }
    }
}
