//! Sends and receives.

use super::{Asked, row, stock};
use crate::{
    bench::{Bench, Line, Query},
    variant::Variant,
};
use common::{
    figure::Unit,
    table::{Bound, Cell, Table},
};

pub const NAME: &str = "calls";

/// Runs of so many iterations; what the longer one has more is what iterations need.
const ITERATIONS: (u32, u32) = (200, 1200);

pub fn run(bench: &Bench) -> Table {
    let mut rows = Vec::new();
    for line in Line::ALL {
        let counted = Variant::rounds(bench.settings.counts(), &format!("calls, {line}"), |variant| {
            let short = bench.calls(variant, Query::Sum, line, ITERATIONS.0)?;
            let long = bench.calls(variant, Query::Sum, line, ITERATIONS.1)?;
            let iterations = f64::from(ITERATIONS.1 - ITERATIONS.0);
            let slope = |short: u64, long: u64| (long as f64 - short as f64) / iterations;
            Ok((
                slope(short.sends, long.sends),
                slope(short.receives, long.receives),
            ))
        });
        for (what, pick) in [("sends", first as fn(&(f64, f64)) -> f64), ("receives", second)] {
            // Exactly a third of what stock needs.
            let third = stock(&counted).first().map(|pair| pick(pair) / 3.0);
            let asked = third.map(|third| Asked::both(Bound::Exactly(third)));
            rows.push(row(format!("{what}, {line}"), &counted, |variant, values| {
                Cell::figures(values.iter().map(pick).collect(), Unit::Each)
                    .asked(asked.and_then(|asked| asked.of(variant)))
            }));
        }
    }
    Table {
        name: NAME,
        title: "Sends and receives of an iteration",
        method: format!(
            "strace -c; what {} iterations need more than {}, for each. A third of stock's is asked, exactly.",
            ITERATIONS.1, ITERATIONS.0
        ),
        columns: Variant::columns(),
        rows,
        notes: Vec::new(),
    }
}

const fn first(pair: &(f64, f64)) -> f64 {
    pair.0
}

const fn second(pair: &(f64, f64)) -> f64 {
    pair.1
}
