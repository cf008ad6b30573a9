//! Instructions.

use super::{Asked, row, stock};
use crate::{
    bench::{Bench, Line, Query},
    variant::Variant,
};
use common::{
    figure::{Unit, median},
    table::{Bound, Cell, Table},
};

pub const NAME: &str = "instructions";

/// Runs of so many iterations; what the longer one has more is what iterations need.
const ITERATIONS: (u32, u32) = (300, 1300);
/// Of the extension itself, per iteration.
const OWN: Asked = Asked::both(Bound::AtMost(170.0));
/// Per cent more than stock.
const TRANSPARENT: f64 = -23.0;
const REUSE: f64 = -48.0;
const OFF: f64 = 0.1;

pub fn run(bench: &Bench) -> Table {
    let mut rows = Vec::new();
    for line in Line::ALL {
        let counted = Variant::rounds(
            bench.settings.counts(),
            &format!("instructions, {line}"),
            |variant| {
                let short = bench.instructions(variant, Query::Sum, line, ITERATIONS.0)?;
                let long = bench.instructions(variant, Query::Sum, line, ITERATIONS.1)?;
                let iterations = f64::from(ITERATIONS.1 - ITERATIONS.0);
                let slope = |short: u64, long: u64| (long as f64 - short as f64) / iterations;
                Ok((slope(short.total, long.total), slope(short.own, long.own)))
            },
        );
        let stock = median(&totals(stock(&counted)));
        rows.push(row(format!("all, {line}"), &counted, |_, values| {
            Cell::figures(totals(values), Unit::Count)
        }));
        rows.push(row(
            format!("more than stock, {line}"),
            &counted,
            |variant, values| {
                let more = totals(values)
                    .iter()
                    .map(|total| 100.0 * (total / stock - 1.0))
                    .collect();
                Cell::figures(more, Unit::Percent).asked(more_than_stock(variant))
            },
        ));
        rows.push(row(
            format!("the extension's own, {line}"),
            &counted,
            |variant, values| {
                Cell::figures(values.iter().map(|pair| pair.1).collect(), Unit::Count).asked(OWN.of(variant))
            },
        ));
    }
    Table {
        name: NAME,
        title: "Instructions of an iteration",
        method: format!(
            "callgrind, in user space; what {} iterations need more than {}, for each. The extension's own are those \
             in its object; what it calls in PHP and libpq is among all.",
            ITERATIONS.1, ITERATIONS.0
        ),
        columns: Variant::columns(),
        rows,
        notes: Vec::new(),
    }
}

fn totals(values: &[(f64, f64)]) -> Vec<f64> {
    values.iter().map(|pair| pair.0).collect()
}

const fn more_than_stock(variant: Variant) -> Option<Bound> {
    match variant {
        Variant::Stock => None,
        Variant::Off => Some(Bound::AtMost(OFF)),
        Variant::Transparent => Some(Bound::AtMost(TRANSPARENT)),
        Variant::Reuse => Some(Bound::AtMost(REUSE)),
    }
}
