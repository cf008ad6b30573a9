//! A density from figures: one normal curve on each, added up.

use crate::sample::mean;

/// `PHPBench` looks at so many points.
const POINTS: usize = 512;

/// The mode as `PHPBench` computes it: the top of a Gaussian kernel density with Scott's bandwidth, looked for at 512
/// points between the smallest and the largest figure; the mean of the places where several are equally high.
///
/// It is here to be compared with `PHPBench`'s own figure. A single far outlier widens the bandwidth and the distance of
/// the points, so that the mode may lie where no figure is. NaN without figures.
pub fn phpbench_mode(values: &[f64]) -> f64 {
    let (Some(&first), count) = (values.first(), values.len()) else {
        return f64::NAN;
    };
    let least = values.iter().copied().fold(first, f64::min);
    let most = values.iter().copied().fold(first, f64::max);
    if count == 1 || least >= most {
        return least;
    }
    let middle = mean(values);
    let variance = values.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / (count as f64 - 1.0);
    let bandwidth = variance.sqrt() * scott(count);
    // Its steps are added up, so that rounding may leave the last point out. So they are here.
    let step = (most - least) / (POINTS as f64 - 1.0);
    let mut points = Vec::with_capacity(POINTS);
    let mut point = least;
    while point <= most && points.len() < POINTS {
        points.push(point);
        point += step;
    }
    let heights: Vec<f64> = points.iter().map(|&at| density(values, bandwidth, at)).collect();
    let top = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let tops: Vec<f64> = points
        .into_iter()
        .zip(heights)
        .filter_map(|(point, height)| (height >= top).then_some(point))
        .collect();
    mean(&tops)
}

/// Scott's factor for one dimension.
pub fn scott(count: usize) -> f64 {
    (count as f64).powf(-0.2)
}

/// The height of the density at a point, up to a constant factor.
pub fn density(values: &[f64], bandwidth: f64, at: f64) -> f64 {
    values
        .iter()
        .map(|value| (-((value - at) / bandwidth).powi(2) / 2.0).exp())
        .sum()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these figures are exact")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_mode_that_phpbench_gives() {
        // Taken from PHPBench 1.7.0's Statistics::kdeMode.
        let fragile = [
            112.0, 112.0, 114.0, 114.0, 116.0, 117.0, 126.0, 147.0, 12_582.0, 45_416.0,
        ];
        assert!(
            (phpbench_mode(&fragile) - 732.6).abs() < 0.05,
            "{}",
            phpbench_mode(&fragile)
        );
        assert_eq!(phpbench_mode(&[7.0]), 7.0);
        assert_eq!(phpbench_mode(&[7.0, 7.0, 7.0]), 7.0);
        assert!(phpbench_mode(&[]).is_nan());
        // Two figures are two equal hills or one between them: the middle, either way.
        assert!((phpbench_mode(&[10.0, 20.0]) - 15.0).abs() < 0.02);
    }

    proptest! {
        #[test]
        fn lies_between_the_figures(values in prop::collection::vec(0.0..1e6_f64, 1..40)) {
            let mode = phpbench_mode(&values);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((least..=most).contains(&mode), "{}", mode);
        }
    }
}
