//! Two things to compare.

use crate::{Order, Pair, Subject, TrialError, pair::first_then};

/// Two sides under a name.
pub struct Comparison<'a> {
    /// What is compared, such as `HashBench::benchMd5`.
    pub name: String,
    /// What measures both.
    pub pair: Box<dyn Pair + 'a>,
}

impl<'a> Comparison<'a> {
    /// `b` against `a`, one after the other.
    pub fn new(name: impl Into<String>, a: impl Subject + 'a, b: impl Subject + 'a) -> Self {
        Self::of(name, Apart { a, b })
    }

    /// Two sides that are measured together.
    pub fn of(name: impl Into<String>, pair: impl Pair + 'a) -> Self {
        Self {
            name: name.into(),
            pair: Box::new(pair),
        }
    }
}

/// Two subjects that know nothing of each other.
struct Apart<A, B> {
    a: A,
    b: B,
}

impl<A: Subject, B: Subject> Pair for Apart<A, B> {
    fn measure(&mut self, order: Order) -> Result<(f64, f64), TrialError> {
        first_then(
            order,
            || self.a.measure().map_err(|why| TrialError::of_side(0, why)),
            || self.b.measure().map_err(|why| TrialError::of_side(1, why)),
        )
    }
}
