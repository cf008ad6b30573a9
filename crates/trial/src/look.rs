//! What the pairs say at one moment.

use crate::{
    Verdict,
    verdict::{Place, ends},
};
use stats::{Interval, LogRatios, MAX_PAIRS};

/// What the pairs say at a look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// So many pairs were there.
    pub pairs: usize,
    /// The estimate of B / A; 1.01 is B 1 % slower.
    pub ratio: f64,
    /// The interval of B / A; `None` with too few pairs for one. Its level is that of the whole trial.
    pub interval: Option<Interval>,
    /// What is known.
    pub verdict: Verdict,
    /// Whether the interval lies wholly beyond the margin, on either side of it.
    pub beyond_margin: bool,
    /// How many more pairs it would take, by the noise so far: to decide what is inconclusive, or whether a difference
    /// that is sure is beyond the margin. `None` where it is decided, and where [`MAX_PAIRS`] would not do.
    pub more_pairs: Option<usize>,
}

impl Look {
    /// Looks, with this probability of error; `confidence` is that of the whole trial.
    pub(crate) fn at(ratios: &LogRatios, error: f64, margin: f64, confidence: f64) -> Self {
        let log = ratios.interval(1.0 - error);
        let location = ratios.location();
        let place = log.map(|log| Place::of(log, margin));
        Self {
            pairs: ratios.len(),
            ratio: location.exp(),
            interval: log.map(|log| Interval {
                level: confidence,
                ..log.map(f64::exp)
            }),
            verdict: Verdict::of(log, margin),
            beyond_margin: matches!(place, Some(Place::Below | Place::Above)),
            more_pairs: match (log, place) {
                (Some(log), Some(Place::Across)) => more_pairs(ratios.len(), location, log, margin),
                _ => None,
            },
        }
    }

    /// Whether more pairs would change nothing.
    pub(crate) fn is_decided(&self) -> bool {
        self.beyond_margin || self.verdict == Verdict::Same
    }
}

/// An interval shrinks as the square root of the pairs grows. Undecided, it has to come clear of 0, or to fit into the
/// margin; clear of 0 already, it has to come clear of the margin's end.
fn more_pairs(pairs: usize, location: f64, log: Interval, margin: f64) -> Option<usize> {
    let (_, end) = ends(margin);
    let to_end = (location.abs() - end).abs();
    let wanted = if log.contains(0.0) && location.abs() > to_end {
        location.abs()
    } else {
        to_end
    };
    let needed = (pairs as f64 * (log.half_width() / wanted).powi(2)).ceil();
    (needed <= MAX_PAIRS as f64).then(|| (needed as usize).saturating_sub(pairs).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval {
            low,
            high,
            level: 0.99,
        }
    }

    #[test]
    fn four_times_the_pairs_halve_the_interval() {
        // 2 % ± 4 %: clear of 0 at ± 2 %.
        assert_eq!(more_pairs(60, 0.02, interval(-0.02, 0.06), 0.0), Some(180));
        // 0 ± 2 %: within ± 1 % (0.995 % as a logarithm) with a little more than four times as many.
        assert_eq!(more_pairs(60, 0.0, interval(-0.02, 0.02), 0.01), Some(183));
        // Slower for sure; beyond the margin?
        let more = more_pairs(60, 0.03, interval(0.005, 0.055), 0.01).unwrap();
        assert!((30..40).contains(&more), "{more}");
        assert_eq!(more_pairs(60, 0.0001, interval(-0.4, 0.4), 0.0), None);
        assert_eq!(more_pairs(60, 0.0, interval(-0.4, 0.4), 0.0), None);
    }
}
