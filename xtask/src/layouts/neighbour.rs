//! A version whose headers no distribution has any more, from those of its neighbour.

use anyhow::bail;
use std::collections::BTreeMap;

const POINTER: u64 = 8;

/// Turns the numbers of PHP 8.1 into those of 8.0.
///
/// Up to the members that are asked for, both have the same `zend_executor_globals`, functions, oplines, strings,
/// classes and closures. What 8.1 added comes behind them: fibers and recorded errors in the globals, functions that are
/// declared in functions in `zend_op_array`. Generators differ, and nothing follows those of such a row.
pub fn derive(numbers: &mut BTreeMap<String, u64>) -> anyhow::Result<()> {
    let version = ["major", "minor"].map(|name| numbers.get(name).copied());
    if version != [Some(8), Some(1)] {
        bail!("only PHP 8.0 is derived, from the headers of 8.1");
    }
    numbers.insert("minor".into(), 0);
    // They are found among the objects.
    numbers.retain(|name, _| !name.starts_with("fiber_") && !name.starts_with("eg_objects"));
    // main_fiber_context, current_fiber_context, active_fiber, fiber_stack_size; record_errors and num_errors, errors.
    let added = 6 * POINTER;
    // dynamic_func_defs, of which the globals hold one: the trampoline.
    let grown = POINTER;
    for (name, less) in [("eg_size", added + grown), ("op_array_size", grown)] {
        if let Some(number) = numbers.get_mut(name) {
            *number -= less;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_neighbour_is_derived() {
        let numbers = |minor: u64| {
            [
                ("major", 8),
                ("minor", minor),
                ("eg_size", 1752),
                ("op_array_size", 240),
                ("fiber_size", 336),
            ]
            .map(|(name, number)| (name.to_owned(), number))
            .into_iter()
            .collect::<BTreeMap<_, _>>()
        };
        let mut derived = numbers(1);
        derive(&mut derived).unwrap();
        assert_eq!(
            (derived["minor"], derived["eg_size"], derived["op_array_size"]),
            (0, 1696, 232)
        );
        assert!(!derived.contains_key("fiber_size"));
        assert!(derive(&mut numbers(2)).is_err());
    }
}
