//! The samples of a variant in a few characters.

use bench::model::{Measurement, Sample};
use trial::bars::{column, level};

/// Bins of a histogram.
const BINS: usize = 16;
/// More samples than this do not fit beside a name: the last ones are shown.
const MOST: usize = 40;

/// How the samples are distributed, from the least to the most.
pub fn histogram(measurement: &Measurement) -> String {
    let values: Vec<f64> = measurement.samples.iter().map(Sample::per_revolution).collect();
    let counts =
        stats::Sample::new(values).map(|sample| sample.histogram(sample.min(), sample.max(), BINS).counts);
    let counts = counts.unwrap_or_default();
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().map(|&count| column(count, most)).collect()
}

/// A bar for each sample, in their order: the higher, the longer it took.
pub fn samples(measurement: &Measurement) -> String {
    let (least, most) = (measurement.summary.min, measurement.summary.max);
    let left_out = measurement.samples.len().saturating_sub(MOST);
    let bars = measurement.samples[left_out..].iter().map(|sample| {
        // Equal samples have no share.
        level((sample.per_revolution() - least) / (most - least))
    });
    let dots = if left_out > 0 { "…" } else { "" };
    dots.chars().chain(bars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn measured(values: &[i64]) -> Measurement {
        let sample = |raw: &i64| {
            json!({"iteration": 0, "revolutions": 1, "raw": raw, "overhead": 0, "clock": 0, "empty": 0.0, "memory": null,
                "retried": false})
        };
        let (min, max) = (values.iter().min().unwrap(), values.iter().max().unwrap());
        serde_json::from_value(json!({
            "samples": values.iter().map(sample).collect::<Vec<_>>(),
            "summary": {"median": 0.0, "interval": [0.0, 0.0], "level": 0.99, "mad": 0.0, "mode": 0.0, "mean": 0.0, "min": min,
                "max": max, "stdev": 0.0, "rstdev": 0.0, "outliers": 0, "modes": 1, "no_op": false, "empty": 0.0, "clock": 0.0},
        }))
        .unwrap()
    }

    #[test]
    fn samples_are_bars() {
        let two_speeds = measured(&[10, 10, 30, 10, 10]);
        assert_eq!(histogram(&two_speeds), "█              ▂");
        assert_eq!(samples(&two_speeds), "▁▁█▁▁");
        assert_eq!(samples(&measured(&[7, 7])), "▁▁");
        assert_eq!(histogram(&measured(&[7])).trim_end(), "█");
        let many: Vec<i64> = (0..100).collect();
        assert_eq!(samples(&measured(&many)).chars().count(), MOST + 1);
    }
}
