//! When a trial is looked at, and what each look may cost.

use crate::TrialError;
use stats::{MAX_PAIRS, fewest_pairs};

/// Looks, as shares of the pairs.
const LOOKS: [f64; 4] = [0.3, 0.5, 0.75, 1.0];

/// How many pairs a trial has at most, what counts as the same, and how sure it has to be.
///
/// Looking again and again until something shows is how comparisons cry wolf. So a trial is looked at a few times that are
/// fixed beforehand, and the probability of error is divided among these: after a share t of the pairs, t³ of it may have
/// been spent. Whatever the verdict and whenever it stopped, all together stay below the whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    pairs: usize,
    margin: f64,
    level: f64,
    is_fixed: bool,
}

impl Plan {
    /// What the intervals hold with, all looks of a trial together.
    pub const LEVEL: f64 = 0.997;
    /// Differences of up to 1 % are the same.
    pub const MARGIN: f64 = 0.01;
    /// As many pairs as find a difference of 1 % between two PHP programs on a CPU of their own.
    pub const PAIRS: usize = 60;

    /// At most `pairs` pairs ([`Plan::PAIRS`]; up to 1000), and `margin` as a share ([`Plan::MARGIN`]).
    pub fn new(pairs: usize, margin: f64) -> Result<Self, TrialError> {
        if !(1..=MAX_PAIRS).contains(&pairs) {
            return Err(TrialError::Pairs(pairs));
        }
        if !(0.0..=1.0).contains(&margin) {
            return Err(TrialError::Margin(margin));
        }
        Ok(Self {
            pairs,
            margin,
            level: Self::LEVEL,
            is_fixed: false,
        })
    }

    /// All pairs are measured, and looked at once: for who wants to know how large a difference is. To know that there is one
    /// takes fewer.
    #[must_use]
    pub const fn fixed(mut self) -> Self {
        self.is_fixed = true;
        self
    }

    /// With another level than [`Plan::LEVEL`].
    pub fn level(mut self, level: f64) -> Result<Self, TrialError> {
        if !(0.5..=0.99999).contains(&level) {
            return Err(TrialError::Level(level));
        }
        self.level = level;
        Ok(self)
    }

    /// The most pairs.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// The margin, as a share.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The probability that all intervals of a trial hold.
    pub fn confidence(&self) -> f64 {
        self.level
    }

    /// The fewest pairs with which a trial can say anything but inconclusive.
    pub fn fewest(&self) -> usize {
        fewest_pairs(1.0 - self.level)
    }

    /// Pairs after which it is looked at, and the probability of error that may have been spent by then. Looks at which
    /// so few pairs could not decide anything are left out: what they do not spend is there for the next.
    pub(crate) fn looks(&self) -> Vec<(usize, f64)> {
        let whole = 1.0 - self.level;
        let mut spent = 0.0;
        let mut looks: Vec<(usize, f64)> = Vec::new();
        for share in LOOKS.into_iter().filter(|&share| !self.is_fixed || share >= 1.0) {
            let pairs = (self.pairs as f64 * share).ceil() as usize;
            let by_then = whole * share.powi(3);
            let is_last = pairs == self.pairs;
            if is_last || pairs >= fewest_pairs(by_then - spent) {
                spent = if is_last { whole } else { by_then };
                looks.push((pairs, spent));
            }
            if is_last {
                break;
            }
        }
        looks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sixty_pairs_are_looked_at_four_times() {
        let looks = Plan::new(60, 0.01).unwrap().looks();
        let pairs: Vec<usize> = looks.iter().map(|look| look.0).collect();
        assert_eq!(pairs, [18, 30, 45, 60]);
        assert!((looks[3].1 - 0.003).abs() < 1e-12);
    }

    #[test]
    fn a_fixed_number_is_looked_at_once() {
        let plan = Plan::new(60, 0.01).unwrap().fixed();
        assert_eq!(plan.looks(), [(60, 1.0 - Plan::LEVEL)]);
    }

    #[test]
    fn few_pairs_are_looked_at_once() {
        assert_eq!(Plan::new(12, 0.01).unwrap().looks().len(), 1);
        assert_eq!(Plan::new(1, 0.01).unwrap().looks().len(), 1);
        assert_eq!(Plan::new(12, 0.01).unwrap().fewest(), 10);
    }

    #[test]
    fn nonsense_is_refused() {
        for (pairs, margin) in [(0, 0.01), (1001, 0.01), (60, -0.1), (60, f64::NAN), (60, 2.0)] {
            assert!(Plan::new(pairs, margin).is_err(), "{pairs} {margin}");
        }
        assert!(Plan::new(60, 0.0).unwrap().level(1.0).is_err());
    }

    proptest! {
        #[test]
        fn the_whole_error_is_spent_and_no_more(pairs in 1..=MAX_PAIRS, level in 0.5..0.9999_f64) {
            let looks = Plan::new(pairs, 0.01).unwrap().level(level).unwrap().looks();
            prop_assert!(looks.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            let last = looks[looks.len() - 1];
            prop_assert_eq!(last.0, pairs);
            prop_assert!((last.1 - (1.0 - level)).abs() < 1e-12);
        }
    }
}
