//! Two things that were measured in turns, over and over, as one figure each.

use crate::sample::median;

/// The figures of A and B from turns (A, B), each made while the machine was in one state: their ratio is the median of
/// the turns' ratios, their level that of both sides' medians. `None` without turns, and where a figure is not above 0.
///
/// Turns go wrong one at a time, when a neighbour comes or goes between a turn's two halves. The ratio of both sides' medians
/// forgets which figures were taken together, and so keeps the noise that a turn's halves share.
pub fn from_turns(turns: &[(f64, f64)]) -> Option<(f64, f64)> {
    let of_all = |figure: fn(&(f64, f64)) -> f64| {
        let mut logs: Vec<f64> = turns.iter().map(|turn| figure(turn).ln()).collect();
        let sound = !logs.is_empty() && logs.iter().all(|log| log.is_finite());
        logs.sort_by(f64::total_cmp);
        sound.then(|| median(&logs))
    };
    let (a, b) = (of_all(|turn| turn.0)?, of_all(|turn| turn.1)?);
    let half = of_all(|turn| turn.1 / turn.0)? / 2.0;
    let level = f64::midpoint(a, b);
    Some(((level - half).exp(), (level + half).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop, prop_assert, proptest};

    #[test]
    fn what_turns_share_falls_out() {
        // The machine is in another state in each turn, and in one turn it changed between the halves.
        let turns = [
            (100.0, 101.0),
            (140.0, 141.4),
            (100.0, 140.0),
            (120.0, 121.2),
            (110.0, 111.1),
        ];
        let (a, b) = from_turns(&turns).unwrap();
        assert!((b / a - 1.01).abs() < 1e-12, "{a} {b}");
        assert!((110.0..121.2).contains(&a), "{a}");
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert_eq!(from_turns(&[]), None);
        for (a, b) in [
            (0.0, 1.0),
            (1.0, 0.0),
            (-1.0, -1.0),
            (f64::NAN, 1.0),
            (1.0, f64::INFINITY),
        ] {
            assert_eq!(from_turns(&[(1.0, 1.0), (a, b), (1.0, 1.0)]), None, "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn swapping_the_sides_swaps_the_figures(turns in prop::collection::vec((1.0..1e9_f64, 1.0..1e9_f64), 1..40)) {
            let swapped: Vec<_> = turns.iter().map(|&(a, b)| (b, a)).collect();
            let ((a, b), (c, d)) = (from_turns(&turns).unwrap(), from_turns(&swapped).unwrap());
            prop_assert!((a / d - 1.0).abs() < 1e-9 && (b / c - 1.0).abs() < 1e-9);
        }
    }
}
