//! Instructions.

use super::{Asked, row, stock};
use crate::{
    bench::{Bench, Line},
    variant::Variant,
};
use anyhow::Result;
use common::{
    figure::{Unit, least},
    table::{Bound, Cell, Table},
};

pub const NAME: &str = "instructions";

/// Runs of so many iterations; what the longer one has more is what iterations need.
const ITERATIONS: (u32, u32) = (300, 1300);
/// Heaps on which that is counted: by luck, `malloc()` takes a longer way on some of them.
const HEAPS: u32 = 6;
/// Of the extension itself, per iteration.
const OWN: Asked = Asked::both(Bound::AtMost(170.0));
/// Per cent more than stock.
const TRANSPARENT: f64 = -23.0;
const REUSE: f64 = -48.0;
const OFF: f64 = 0.1;

/// Of one iteration, on one heap.
struct Counted {
    all: f64,
    own: f64,
}

pub fn run(bench: &Bench) -> Table {
    let heaps = if bench.settings.quick { 1 } else { HEAPS };
    let mut rows = Vec::new();
    for line in Line::ALL {
        let counted = Variant::rounds(1, &format!("instructions, {line}"), |variant| {
            (0..heaps)
                .map(|heap| count(bench, variant, line, heap))
                .collect::<Result<Vec<_>>>()
        });
        let least_of_stock = least(&figures(stock(&counted), |it| it.all));
        rows.push(row(format!("all, {line}"), &counted, |_, values| {
            Cell::figures(figures(values, |it| it.all), Unit::Count)
        }));
        rows.push(row(
            format!("least, more than stock's least, {line}"),
            &counted,
            |variant, values| {
                let more = 100.0 * (least(&figures(values, |it| it.all)) / least_of_stock - 1.0);
                Cell::figures(vec![more], Unit::Percent).asked(more_than_stock(variant))
            },
        ));
        rows.push(row(
            format!("the extension's own, {line}"),
            &counted,
            |variant, values| Cell::figures(figures(values, |it| it.own), Unit::Count).asked(OWN.of(variant)),
        ));
    }
    Table {
        name: NAME,
        title: "Instructions of an iteration",
        method: format!(
            "callgrind, in user space; what {} iterations need more than {}, for each, on {heaps} heap(s): beside all \
             variants another extension is loaded, which does nothing but to have 0, 1, … settings. The median of the \
             heaps with the range. The extension's own are those in its object; what it calls in PHP and libpq is \
             among all.",
            ITERATIONS.1, ITERATIONS.0
        ),
        columns: Variant::columns(),
        rows,
        notes: Vec::new(),
    }
}

fn count(bench: &Bench, variant: Variant, line: Line, heap: u32) -> Result<Counted> {
    let short = bench.instructions(variant, line, ITERATIONS.0, heap)?;
    let long = bench.instructions(variant, line, ITERATIONS.1, heap)?;
    let each = |short: u64, long: u64| (long as f64 - short as f64) / f64::from(ITERATIONS.1 - ITERATIONS.0);
    Ok(Counted {
        all: each(short.total, long.total),
        own: each(short.own, long.own),
    })
}

fn figures(rounds: &[Vec<Counted>], pick: fn(&Counted) -> f64) -> Vec<f64> {
    rounds.iter().flatten().map(pick).collect()
}

const fn more_than_stock(variant: Variant) -> Option<Bound> {
    match variant {
        Variant::Stock => None,
        Variant::Off => Some(Bound::AtMost(OFF)),
        Variant::Transparent => Some(Bound::AtMost(TRANSPARENT)),
        Variant::Reuse => Some(Bound::AtMost(REUSE)),
    }
}
