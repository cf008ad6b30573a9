//! Which samples lie too far from the others, so that another one is taken: a limited number of times.

use crate::model::Sample;

/// At most so many more samples, for each that was asked for.
const FACTOR: usize = 3;

/// Marks samples that lie more than `threshold` percent from the median and have no successor yet; gives the
/// iterations of which another sample is to be taken. All samples stay, and count.
pub(super) fn mark(samples: &mut [Sample], threshold: f64, asked: u32) -> Vec<u32> {
    let mut values: Vec<f64> = samples.iter().map(Sample::per_revolution).collect();
    values.sort_by(f64::total_cmp);
    let Some(&median) = values.get(values.len() / 2) else {
        return Vec::new();
    };
    let room = (asked as usize * (1 + FACTOR)).saturating_sub(samples.len());
    let mut again = Vec::new();
    for sample in samples {
        let distance = (sample.per_revolution() - median).abs() / median.abs().max(f64::MIN_POSITIVE) * 100.0;
        if again.len() < room && !sample.retried && distance > threshold {
            sample.retried = true;
            again.push(sample.iteration);
        }
    }
    again
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(iteration: u32, raw: i64) -> Sample {
        Sample {
            iteration,
            revolutions: 1,
            raw,
            overhead: 0,
            clock: 0,
            empty: 0.0,
            memory: None,
            retried: false,
        }
    }

    #[test]
    fn an_outlier_is_taken_again_and_stays() {
        let mut samples: Vec<_> = [100, 101, 99, 300]
            .iter()
            .zip(0..)
            .map(|(&raw, at)| sample(at, raw))
            .collect();
        assert_eq!(mark(&mut samples, 5.0, 4), [3]);
        assert!(samples[3].retried);
        samples.push(sample(3, 100));
        assert_eq!(mark(&mut samples, 5.0, 4), [0; 0]);
        assert_eq!(samples.len(), 5);
    }

    #[test]
    fn a_subject_that_never_settles_comes_to_an_end() {
        let mut samples: Vec<_> = (0..4).map(|at| sample(at, 1 << (10 + at))).collect();
        let mut rounds = 0;
        loop {
            let again = mark(&mut samples, 1.0, 4);
            if again.is_empty() {
                break;
            }
            for iteration in again {
                let wild = 1 << (samples.len() % 20);
                samples.push(sample(iteration, wild));
            }
            rounds += 1;
        }
        assert!(samples.len() <= 16 && rounds > 1, "{} in {rounds}", samples.len());
    }
}
