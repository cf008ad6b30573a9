//! How many revolutions a sample needs, where the suite does not say.

use std::time::Duration;

/// More than this many revolutions make a sample no better.
const MOST: u64 = 10_000_000;
/// A guess from few revolutions is not trusted further than this factor.
const TRUSTED: u64 = 100;

/// A sample that took long enough is taken so often, and the least counts: a disturbance can only make it longer, and
/// would leave the subject with too few revolutions for the whole run.
const AGAIN: u32 = 3;

/// Finds the number of revolutions that take about `wanted`, rounded down to 1, 2 or 5 times a power of ten.
/// `measure` takes a sample of so many revolutions and gives nanoseconds.
pub(super) fn revolutions<E>(
    wanted: Duration,
    mut measure: impl FnMut(u64) -> Result<i64, E>,
) -> Result<u64, E> {
    let wanted = wanted.as_nanos().max(1) as u64;
    let mut revolutions = 1;
    loop {
        let mut took = u64::MAX;
        for _ in 0..AGAIN {
            took = took.min(measure(revolutions)?.max(1) as u64);
            // Long beyond doubt, or not long at all.
            if took >= wanted * 20 || took < wanted / 2 {
                break;
            }
        }
        let needed =
            (u128::from(revolutions) * u128::from(wanted) / u128::from(took)).min(MOST.into()) as u64;
        if took >= wanted / 2 || revolutions >= MOST || needed <= revolutions {
            return Ok(round(needed.max(1)));
        }
        revolutions = needed.min(revolutions * TRUSTED);
    }
}

fn round(number: u64) -> u64 {
    let power = 10_u64.pow(number.ilog10());
    match number / power {
        1 => power,
        2..=4 => 2 * power,
        _ => 5 * power,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pilot(cost: i64, fixed: i64) -> (u64, i64) {
        let mut spent = 0;
        let revolutions = revolutions(Duration::from_millis(5), |revs| {
            let took = fixed + cost * revs.cast_signed();
            spent += took;
            Ok::<_, ()>(took)
        });
        (revolutions.unwrap(), spent)
    }

    #[test]
    fn fast_subjects_turn_often_and_slow_ones_once() {
        assert_eq!(pilot(100, 40).0, 20_000);
        assert_eq!(pilot(10_000_000, 40).0, 1);
        assert_eq!(pilot(0, 0).0, MOST);
    }

    #[test]
    fn a_cold_first_call_does_not_decide() {
        let mut first = true;
        let found = revolutions(Duration::from_millis(5), |revs| {
            let cold = if std::mem::take(&mut first) { 2_000_000 } else { 0 };
            Ok::<_, ()>(cold + 1000 * revs.cast_signed())
        });
        assert!(found.unwrap() >= 2000, "{found:?}");
    }

    #[test]
    fn a_disturbed_sample_does_not_decide() {
        for disturbed in 1..6 {
            let mut sample = 0;
            let found = revolutions(Duration::from_millis(5), |revs| {
                sample += 1;
                let late = if sample == disturbed { 8_000_000 } else { 0 };
                Ok::<_, ()>(late + 300 * revs.cast_signed())
            });
            assert_eq!(found, Ok(10_000), "{disturbed}");
        }
    }

    proptest! {
        #[test]
        fn a_sample_takes_about_as_long_as_wanted(cost in 1_i64..100_000_000, fixed in 0_i64..10_000) {
            let (found, spent) = pilot(cost, fixed);
            let takes = fixed + cost * found.cast_signed();
            prop_assert!(takes <= 5_100_000 || found == 1);
            prop_assert!(takes >= 1_500_000 || found == MOST);
            prop_assert!(spent <= 30_000_000 + 3 * cost);
        }
    }
}
