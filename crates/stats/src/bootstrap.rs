//! Intervals from resampling: what the estimate would have been with other figures of the same kind.

use crate::{
    Estimate, Interval, LogRatios, Sample, StatsError,
    log_ratios::location,
    sample::{mean, median},
};
use fastrand::Rng;

/// Resamples that give a 99 % interval its ends with some certainty.
const MOST: usize = 10_000;
/// Where there are many figures, fewer resamples do; below this, the ends would wobble.
const FEWEST: usize = 1_000;
/// Figures to draw, all resamples together.
const WORK: usize = 10_000_000;

/// The percentile bootstrap interval of the median. The figures have to be independent of each other: where one is like the
/// next, it is too narrow. With fewer than eight figures no interval reaches 99 %:
/// then it goes from the smallest to the largest, and its `level` is what that reaches.
pub fn median_interval(sample: &Sample, level: f64, seed: u64) -> Interval {
    let reached = reachable(sample.len());
    if reached < level {
        return Interval {
            low: sample.min(),
            high: sample.max(),
            level: reached,
        };
    }
    let mut rng = Rng::with_seed(seed);
    let mut picks = Vec::new();
    let medians = (0..resamples(sample.len()))
        .map(|_| resampled_median(sample, &mut rng, &mut picks))
        .collect();
    percentiles(medians, level)
}

/// median(B) / median(A) of two independent samples, with its percentile bootstrap interval.
///
/// For runs that were made one after the other. Such an interval knows nothing of what changed on the machine between
/// them; [`LogRatios`] is for runs that were interleaved. The figures have to be above 0.
pub fn ratio_of_medians(a: &Sample, b: &Sample, level: f64, seed: u64) -> Result<Estimate, StatsError> {
    if a.min() <= 0.0 || b.min() <= 0.0 {
        return Err(StatsError::NoRatio {
            pair: 0,
            a: a.min(),
            b: b.min(),
        });
    }
    let mut rng = Rng::with_seed(seed);
    let mut picks = Vec::new();
    let fewer = a.len().min(b.len());
    let ratios = (0..resamples(a.len() + b.len()))
        .map(|_| resampled_median(b, &mut rng, &mut picks) / resampled_median(a, &mut rng, &mut picks))
        .collect();
    Ok(Estimate {
        value: b.median() / a.median(),
        interval: percentiles(ratios, level.min(reachable(fewer))),
    })
}

/// The geometric mean of B / A over several subjects, with its paired bootstrap interval: each subject's pairs are drawn
/// anew, and its ratio estimated from them as [`LogRatios::location`] does. The subjects themselves are taken as given: the
/// interval speaks of these, not of others like them.
pub fn geometric_mean(subjects: &[LogRatios], level: f64, seed: u64) -> Result<Estimate, StatsError> {
    let Some(fewest) = subjects
        .iter()
        .map(LogRatios::len)
        .min()
        .filter(|&fewest| fewest > 0)
    else {
        return Err(StatsError::Empty);
    };
    let mut rng = Rng::with_seed(seed);
    let mut drawn = Vec::new();
    let logs = (0..FEWEST)
        .map(|_| {
            let sum: f64 = subjects
                .iter()
                .map(|subject| {
                    let values = subject.values();
                    drawn.clear();
                    drawn.extend((0..values.len()).map(|_| values[rng.usize(..values.len())]));
                    location(&drawn)
                })
                .sum();
            sum / subjects.len() as f64
        })
        .collect();
    let locations: Vec<f64> = subjects.iter().map(LogRatios::location).collect();
    let estimate = Estimate {
        value: mean(&locations),
        interval: percentiles(logs, level.min(reachable(fewest))),
    };
    Ok(estimate.map(f64::exp))
}

fn resamples(figures: usize) -> usize {
    (WORK / figures).clamp(FEWEST, MOST)
}

/// The probability with which the median lies between the smallest and the largest of so many figures.
fn reachable(figures: usize) -> f64 {
    let power = i32::try_from(figures).unwrap_or(i32::MAX);
    (1.0 - 2.0 * 0.5_f64.powi(power)).max(0.0)
}

/// The median of as many figures, drawn with repetition.
fn resampled_median(sample: &Sample, rng: &mut Rng, picks: &mut Vec<usize>) -> f64 {
    let sorted = sample.sorted();
    picks.clear();
    picks.extend((0..sorted.len()).map(|_| rng.usize(..sorted.len())));
    // Places in the sorted figures order as the figures do.
    let middle = picks.len() / 2;
    let (below, &mut upper, _) = picks.select_nth_unstable(middle);
    if sorted.len() % 2 == 1 {
        return sorted[upper];
    }
    let lower = below.iter().copied().max().unwrap_or(upper);
    median(&[sorted[lower], sorted[upper]])
}

fn percentiles(mut estimates: Vec<f64>, level: f64) -> Interval {
    estimates.sort_by(f64::total_cmp);
    let last = estimates.len() - 1;
    let cut = (((1.0 - level) / 2.0 * estimates.len() as f64) as usize).min(last / 2);
    Interval {
        low: estimates[cut],
        high: estimates[last - cut],
        level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop, prop_assert, proptest};

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let figures = sample(&(0..40).map(|i| f64::from(i * i % 37)).collect::<Vec<_>>());
        assert_eq!(figures.median_interval(0.99, 5), figures.median_interval(0.99, 5));
        assert!(figures.median_interval(0.99, 5).contains(figures.median()));
    }

    #[test]
    fn few_figures_reach_less() {
        let four = sample(&[1.0, 2.0, 3.0, 4.0]).median_interval(0.99, 1);
        assert_eq!((four.low, four.high), (1.0, 4.0));
        assert!((four.level - 0.875).abs() < 1e-12);
        let one = sample(&[3.0]).median_interval(0.99, 1);
        assert_eq!((one.low, one.high, one.level), (3.0, 3.0, 0.0));
    }

    #[test]
    fn medians_are_held_as_often_as_it_says() {
        let mut rng = Rng::with_seed(3);
        let missed = (0..100)
            .filter(|&seed| {
                let values: Vec<f64> = (0..25).map(|_| -rng.f64().max(1e-12).ln()).collect();
                !sample(&values)
                    .median_interval(0.95, seed)
                    .contains(std::f64::consts::LN_2)
            })
            .count();
        assert!((1..=12).contains(&missed), "{missed} of 100 at 5 %");
    }

    #[test]
    fn ratios_of_runs_and_of_subjects() {
        let slow: Vec<f64> = (0..30).map(|i| 110.0 + f64::from(i % 3)).collect();
        let fast: Vec<f64> = (0..30).map(|i| 100.0 + f64::from(i % 3)).collect();
        let ratio = ratio_of_medians(&sample(&fast), &sample(&slow), 0.99, 1).unwrap();
        assert!(
            (ratio.value - 111.0 / 101.0).abs() < 1e-9 && !ratio.interval.contains(1.0),
            "{ratio:?}"
        );
        assert!(ratio_of_medians(&sample(&[0.0]), &sample(&[1.0]), 0.99, 1).is_err());

        let pairs = |factor: f64| -> LogRatios {
            let pairs: Vec<_> = fast
                .iter()
                .zip(fast.iter().rev())
                .map(|(a, b)| (*a, b * factor))
                .collect();
            LogRatios::new(&pairs).unwrap()
        };
        let both = geometric_mean(&[pairs(2.0), pairs(0.5)], 0.99, 1).unwrap();
        assert!(
            (both.value - 1.0).abs() < 0.01 && both.interval.contains(1.0),
            "{both:?}"
        );
        let double = geometric_mean(&[pairs(2.0)], 0.99, 1).unwrap();
        assert!(
            (double.value - 2.0).abs() < 0.02 && double.interval.contains(2.0),
            "{double:?}"
        );
        assert_eq!(geometric_mean(&[], 0.99, 1), Err(StatsError::Empty));
        assert_eq!(
            geometric_mean(&[LogRatios::default()], 0.99, 1),
            Err(StatsError::Empty)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn intervals_lie_within_the_figures(values in prop::collection::vec(1.0..1e6_f64, 1..30), seed: u64) {
            let sample = sample(&values);
            let interval = sample.median_interval(0.99, seed);
            prop_assert!(sample.min() <= interval.low && interval.low <= interval.high && interval.high <= sample.max());
        }
    }
}
