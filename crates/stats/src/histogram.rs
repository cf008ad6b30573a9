//! Counts in bins, for pictures.

/// Figures counted in bins of one width. What lies outside of the range is counted apart and never dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Where the first bin starts.
    pub low: f64,
    /// Where the last bin ends; a figure just there is counted in it.
    pub high: f64,
    /// Figures in each bin.
    pub counts: Vec<usize>,
    /// Figures below the range.
    pub below: usize,
    /// Figures above the range.
    pub above: usize,
}

impl Histogram {
    /// Counts `values` in `bins` (at least one) between `low` and `high`. Where the range is empty, what equals it is
    /// in the first bin.
    pub fn of(values: &[f64], low: f64, high: f64, bins: usize) -> Self {
        let mut histogram = Self {
            low,
            high,
            counts: vec![0; bins.max(1)],
            below: 0,
            above: 0,
        };
        let last = histogram.counts.len() - 1;
        let width = high - low;
        for &value in values {
            if value < low {
                histogram.below += 1;
            } else if value > high {
                histogram.above += 1;
            } else {
                let share = if width > 0.0 { (value - low) / width } else { 0.0 };
                let bin = ((share * histogram.counts.len() as f64) as usize).min(last);
                histogram.counts[bin] += 1;
            }
        }
        histogram
    }

    /// The count of the fullest bin.
    pub fn tallest(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_ends_belong_to_the_range() {
        let histogram = Histogram::of(&[-1.0, 0.0, 0.9, 1.0, 2.0, 2.1], 0.0, 2.0, 2);
        assert_eq!(histogram.counts, [2, 2]);
        assert_eq!((histogram.below, histogram.above, histogram.tallest()), (1, 1, 2));
        assert_eq!(Histogram::of(&[5.0, 5.0], 5.0, 5.0, 3).counts, [2, 0, 0]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(values in prop::collection::vec(-10.0..10.0_f64, 0..50), low in -12.0..0.0_f64, high in 0.0..12.0_f64, bins in 0..9_usize) {
            let histogram = Histogram::of(&values, low, high, bins);
            let counted: usize = histogram.counts.iter().sum::<usize>() + histogram.below + histogram.above;
            prop_assert_eq!(counted, values.len());
        }
    }
}
