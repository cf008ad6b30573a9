//! Wall time of an iteration.

use super::{Asked, row, stock};
use crate::{
    alone::Alone,
    bench::{Bench, Line, Query},
    variant::Variant,
};
use common::{
    figure::Unit,
    rounds::Results,
    table::{Bound, Cell, Row, Table},
};

pub const NAME: &str = "time";

const ITERATIONS: u32 = 5000;
const QUICK: u32 = 200;

const SUM: Asked = Asked {
    transparent: Bound::AtLeast(3.2),
    reuse: Bound::AtLeast(4.0),
};
const JOIN: Asked = Asked::both(Bound::AtLeast(8.0));

pub fn run(bench: &Bench) -> Table {
    let iterations = if bench.settings.quick { QUICK } else { ITERATIONS };
    let alone = Alone::on(&bench.server);
    let under = alone.as_ref().map(Alone::under).unwrap_or_default();
    let mut rows = Vec::new();
    for (query, label, asked) in [
        (Query::Sum, "sum of two numbers", SUM),
        (Query::Join, "join of six tables", JOIN),
    ] {
        for line in Line::ALL {
            let label = format!("{label}, {line}");
            let times = Variant::rounds(bench.settings.runs, &label, |variant| {
                bench.time(variant, query, line, iterations, &under)
            });
            rows.push(row(label.as_str(), &times, |_, values| {
                Cell::figures(values.to_vec(), Unit::Micros)
            }));
            rows.push(against_stock(&label, &times, asked));
        }
    }
    Table {
        name: NAME,
        title: "Time of an iteration",
        method: format!(
            "Prepare, execute, fetch, let go; {iterations} times in a process of its own, after 20 to warm up. The \
             variants take turns; a ratio is of the runs of one round. {}.",
            if alone.is_some() {
                "PHP and the server's process share one CPU, at real-time priority"
            } else {
                "Real-time priority is not permitted here: whatever else runs is in the times"
            }
        ),
        columns: Variant::columns(),
        rows,
        notes: Vec::new(),
    }
}

fn against_stock(label: &str, times: &Results<Variant, f64>, asked: Asked) -> Row {
    row(
        format!("{label}: times as fast as stock"),
        times,
        |variant, values| {
            let ratios = stock(times)
                .iter()
                .zip(values)
                .map(|(stock, value)| stock / value);
            Cell::figures(ratios.collect(), Unit::Times).asked(asked.of(variant))
        },
    )
}
