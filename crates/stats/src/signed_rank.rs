//! The null distribution of Wilcoxon's signed-rank sum, exact.

/// Pairs that are analysed at most: the distribution is computed, not approximated.
pub const MAX_PAIRS: usize = 1000;

/// The fewest pairs in which a two-sided test can reach this probability of error: with all of them on one side it is
/// 2^(1−n).
pub fn fewest_pairs(error: f64) -> usize {
    (1..MAX_PAIRS)
        .find(|&pairs| two_to_minus(pairs) * 2.0 <= error)
        .unwrap_or(MAX_PAIRS)
}

/// The largest sum that in `pairs` pairs is reached, from below, with a probability of `tail` or less, and that
/// probability; `None` if not even 0 is.
pub(crate) fn critical(pairs: usize, tail: f64) -> Option<(usize, f64)> {
    let half = pairs * (pairs + 1) / 4;
    let mut chance = vec![0.0; half + 1];
    chance[0] = 1.0;
    // Each pair's rank is counted in or not, as a coin falls.
    for rank in 1..=pairs {
        let reached = half.min(rank * (rank + 1) / 2);
        for sum in (0..=reached).rev() {
            let with = if sum >= rank { chance[sum - rank] } else { 0.0 };
            chance[sum] = f64::midpoint(chance[sum], with);
        }
    }
    let mut total = 0.0;
    let mut found = None;
    for (sum, chance) in chance.into_iter().enumerate() {
        total += chance;
        if total > tail {
            break;
        }
        found = Some((sum, total));
    }
    found
}

fn two_to_minus(power: usize) -> f64 {
    0.5_f64.powi(i32::try_from(power).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_the_signed_rank_test() {
        // Two-sided 5 %: n = 6: 0, 10: 8, 20: 52, 30: 137; 1 %: n = 10: 3, 20: 37, 50: 373.
        for (pairs, tail, expected) in [
            (6, 0.025, 0),
            (10, 0.025, 8),
            (20, 0.025, 52),
            (30, 0.025, 137),
            (10, 0.005, 3),
            (20, 0.005, 37),
            (50, 0.005, 373),
        ] {
            let (sum, chance) = critical(pairs, tail).unwrap();
            assert_eq!(sum, expected, "{pairs} pairs at {tail}");
            assert!(chance <= tail);
        }
        assert_eq!(critical(5, 0.025), None);
    }

    #[test]
    fn the_fewest_pairs_are_just_enough() {
        for error in [0.05, 0.01, 0.003, 1e-5] {
            let pairs = fewest_pairs(error);
            assert!(critical(pairs, error / 2.0).is_some());
            assert!(critical(pairs - 1, error / 2.0).is_none());
        }
    }

    #[test]
    fn the_most_pairs_are_still_exact() {
        // Symmetric about 250,250 with a deviation of 9139: 2.5 % is 1.96 of them away.
        let (sum, _) = critical(MAX_PAIRS, 0.025).unwrap();
        assert!((232_330..232_350).contains(&sum), "{sum}");
    }
}
