//! What a comparison says.

use stats::Interval;
use std::fmt;

/// What is known of B against A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// B's figures are lower.
    Faster,
    /// B's figures are higher.
    Slower,
    /// Whatever the difference is, it is within the margin.
    Same,
    /// Neither a difference nor that there is none has been shown.
    Inconclusive,
}

impl Verdict {
    /// Its name in files: `faster`, `slower`, `same`, `inconclusive`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// By where the interval of ln(B / A) lies; `margin` is a share, such as 0.01.
    pub(crate) fn of(interval: Option<Interval>, margin: f64) -> Self {
        let Some(interval) = interval else {
            return Self::Inconclusive;
        };
        match Place::of(interval, margin) {
            Place::Within => Self::Same,
            _ if interval.low > 0.0 => Self::Slower,
            _ if interval.high < 0.0 => Self::Faster,
            _ => Self::Inconclusive,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// Where an interval lies, as the margin sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Wholly below it.
    Below,
    /// Wholly in it.
    Within,
    /// Wholly above it.
    Above,
    /// Over one of its ends: more pairs may tell.
    Across,
}

impl Place {
    pub(crate) fn of(interval: Interval, margin: f64) -> Self {
        let (least, most) = ends(margin);
        match interval {
            Interval { low, .. } if low > most => Self::Above,
            Interval { high, .. } if high < least => Self::Below,
            Interval { low, high, .. } if least <= low && high <= most => Self::Within,
            _ => Self::Across,
        }
    }
}

/// The margin's ends as logarithms: a ratio of 1 + margin, and its reciprocal, so that swapping A and B changes nothing.
pub(crate) fn ends(margin: f64) -> (f64, f64) {
    let end = margin.ln_1p();
    (-end, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(low: f64, high: f64) -> Verdict {
        let level = 0.99;
        Verdict::of(Some(Interval { low, high, level }), 0.01)
    }

    #[test]
    fn by_where_the_interval_lies() {
        assert_eq!(verdict(0.02, 0.05), Verdict::Slower);
        assert_eq!(verdict(0.001, 0.05), Verdict::Slower);
        assert_eq!(verdict(-0.05, -0.001), Verdict::Faster);
        assert_eq!(verdict(-0.004, 0.005), Verdict::Same);
        // A difference that is sure, and sure to be within the margin.
        assert_eq!(verdict(0.002, 0.005), Verdict::Same);
        assert_eq!(verdict(-0.004, 0.05), Verdict::Inconclusive);
        assert_eq!(Verdict::of(None, 0.01), Verdict::Inconclusive);
    }

    #[test]
    fn decided_is_what_lies_on_one_side_of_the_margin() {
        let place = |low, high| {
            Place::of(
                Interval {
                    low,
                    high,
                    level: 0.99,
                },
                0.01,
            )
        };
        assert_eq!(place(0.02, 0.05), Place::Above);
        assert_eq!(place(-0.05, -0.02), Place::Below);
        assert_eq!(place(0.002, 0.005), Place::Within);
        assert_eq!(place(0.001, 0.05), Place::Across);
        // Without a margin, all but 0 is beyond it.
        assert_eq!(
            Place::of(
                Interval {
                    low: 0.001,
                    high: 0.05,
                    level: 0.99
                },
                0.0
            ),
            Place::Above
        );
    }
}
