//! Rounds: each contender once per round, in a different order each time, so that a machine that changes its
//! speed changes it for all.

use anyhow::Result;
use std::fmt::Display;

/// What the rounds gave for each contender, in the order of the columns, or why there is nothing.
pub type Results<K, T> = Vec<(K, Result<Vec<T>, String>)>;

/// Measures each contender once per round. One that cannot take part says why; one that fails is not tried
/// again.
pub fn rounds<K: Copy + Display, T>(
    contenders: impl IntoIterator<Item = (K, Result<(), String>)>,
    runs: usize,
    what: &str,
    mut measure: impl FnMut(K) -> Result<T>,
) -> Results<K, T> {
    let mut results: Results<K, T> = contenders
        .into_iter()
        .map(|(contender, can)| (contender, can.map(|()| Vec::new())))
        .collect();
    let columns = results.len().max(1);
    for round in 0..runs {
        for index in 0..results.len() {
            let (contender, result) = &mut results[(index + round) % columns];
            let Ok(values) = result else { continue };
            eprintln!("{what}: {contender}, {} of {runs}", round + 1);
            match measure(*contender) {
                Ok(value) => values.push(value),
                Err(error) => *result = Err(format!("{error:#}")),
            }
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn everybody_has_a_turn_in_another_order_each_round() {
        let mut turns = String::new();
        let contenders = [('a', Ok(())), ('b', Err("ill".into())), ('c', Ok(()))];
        let results = rounds(contenders, 2, "test", |contender| {
            turns.push(contender);
            Ok(turns.len())
        });
        assert_eq!(turns, "acca");
        assert_eq!(results[0].1, Ok(vec![1, 4]));
        assert_eq!(results[1].1, Err("ill".into()));
    }

    #[test]
    fn who_fails_is_not_tried_again() {
        let mut turns = 0;
        let results = rounds([('a', Ok(()))], 3, "test", |_| -> Result<()> {
            turns += 1;
            bail!("broken")
        });
        assert_eq!((turns, &results[0].1), (1, &Err("broken".into())));
    }
}
