//! The tables.

mod calls;
mod fibers;
mod fpm;
mod instructions;
mod pooler;
mod time;

use crate::{bench::Bench, variant::Variant};
use common::{
    results::Entry,
    rounds::Results,
    table::{Bound, Cell, Row},
};

/// All of them, in the order in which they are printed.
pub const ALL: &[Entry<Bench>] = &[
    (time::NAME, time::run),
    (calls::NAME, calls::run),
    (instructions::NAME, instructions::run),
    (fpm::NAME, fpm::run),
    (fibers::NAME, fibers::run),
    (pooler::NAME, pooler::run),
];

/// What was measured of each contender, as a row.
fn row<K: Copy, T>(label: impl Into<String>, results: &Results<K, T>, cell: impl Fn(K, &[T]) -> Cell) -> Row {
    let cells = results.iter().map(|(contender, result)| match result {
        Ok(values) => cell(*contender, values),
        Err(why) => Cell::Without(why.clone()),
    });
    Row {
        label: label.into(),
        cells: cells.collect(),
    }
}

/// What was measured of the first contender, which is PDO as it is.
fn stock<K, T>(results: &Results<K, T>) -> &[T] {
    match results.first() {
        Some((_, Ok(values))) => values,
        _ => &[],
    }
}

/// What is asked of the extension with its defaults and with reuse; of others nothing is.
#[derive(Clone, Copy, Debug)]
struct Asked {
    transparent: Bound,
    reuse: Bound,
}

impl Asked {
    /// The same of both.
    const fn both(bound: Bound) -> Self {
        Self {
            transparent: bound,
            reuse: bound,
        }
    }

    const fn of(self, variant: Variant) -> Option<Bound> {
        match variant {
            Variant::Transparent => Some(self.transparent),
            Variant::Reuse => Some(self.reuse),
            Variant::Stock | Variant::Off => None,
        }
    }
}
