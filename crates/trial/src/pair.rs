//! Both sides of a comparison, measured together.

use crate::{Measured, Order, TrialError};

/// Something that yields a figure of A and one of B per call.
///
/// For sides that can be there at the same time: the shorter the time between what is compared, the more of the machine's
/// noise do both share. What a [`Subject`](crate::Subject) has to see to holds here as well: start anew for each pair.
pub trait Pair {
    /// Measures both sides once, first the one that `order` names. Whatever one side has before the other, such as the
    /// first turn or the older process, has to follow the order, for it was drawn; nothing else may tell the sides apart.
    fn measure(&mut self, order: Order) -> Result<(f64, f64), TrialError>;
}

impl<F: FnMut(Order) -> Result<(f64, f64), TrialError>> Pair for F {
    fn measure(&mut self, order: Order) -> Result<(f64, f64), TrialError> {
        self(order)
    }
}

/// Measures both sides `turns` times, first the one that `order` names: A B, B A, A B, … Each turn is given as (A, B).
pub fn in_turns(
    order: Order,
    turns: usize,
    mut a: impl FnMut() -> Measured,
    mut b: impl FnMut() -> Measured,
) -> Result<Vec<(f64, f64)>, TrialError> {
    let mut order = order;
    let mut taken = Vec::with_capacity(turns);
    for _ in 0..turns {
        taken.push(first_then(
            order,
            || a().map_err(|why| TrialError::of_side(0, why)),
            || b().map_err(|why| TrialError::of_side(1, why)),
        )?);
        order = order.swapped();
    }
    Ok(taken)
}

/// What both give, called in an order.
pub fn first_then<T, E>(
    order: Order,
    a: impl FnOnce() -> Result<T, E>,
    b: impl FnOnce() -> Result<T, E>,
) -> Result<(T, T), E> {
    match order {
        Order::AFirst => {
            let a = a()?;
            Ok((a, b()?))
        }
        Order::BFirst => {
            let b = b()?;
            Ok((a()?, b))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn turns_alternate_and_begin_as_it_was_drawn() {
        for (order, expected) in [(Order::AFirst, "abbaab"), (Order::BFirst, "baabba")] {
            let said = RefCell::new(String::new());
            let side = |name: char, figure: f64| {
                let said = &said;
                move || {
                    said.borrow_mut().push(name);
                    Ok(figure)
                }
            };
            let turns = in_turns(order, 3, side('a', 1.0), side('b', 2.0)).unwrap();
            assert_eq!(turns, [(1.0, 2.0); 3]);
            assert_eq!(*said.borrow(), expected);
        }
    }

    #[test]
    fn a_side_that_fails_is_named() {
        let error = in_turns(Order::AFirst, 3, || Ok(1.0), || Err("gone".into())).unwrap_err();
        assert_eq!(error.to_string(), "B could not be measured: gone");
    }
}
