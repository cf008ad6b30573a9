//! Wall time of an iteration.

use super::{Asked, row, stock};
use crate::{
    alone::Alone,
    bench::{Bench, Line, Query},
    libpq::{Libpq, Waits},
    variant::Variant,
};
use anyhow::bail;
use common::{
    figure::Unit,
    rounds::{self, Results},
    table::{Bound, Cell, Row, Table},
};
use std::fmt;

pub const NAME: &str = "time";

const ITERATIONS: u32 = 5000;
const QUICK: u32 = 200;

const SUM: Asked = Asked {
    transparent: Bound::AtLeast(3.2),
    reuse: Bound::AtLeast(4.0),
};
const JOIN: Asked = Asked::both(Bound::AtLeast(8.0));

/// Whose time is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    Php(Variant),
    /// What is left where nothing is around the round trip.
    Libpq(Waits),
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Php(variant) => variant.fmt(f),
            Self::Libpq(waits) => waits.fmt(f),
        }
    }
}

/// All of them, with the reason why one cannot take part.
fn contenders(query: Query, libpq: Result<&Libpq, &String>) -> Vec<(Contender, Result<(), String>)> {
    let libpq = match query {
        Query::Sum => libpq.map(drop).map_err(Clone::clone),
        Query::Join => Err("of the sum only".into()),
    };
    let php = Variant::ALL.map(|variant| (Contender::Php(variant), Ok(())));
    let alone = Waits::ALL.map(|waits| (Contender::Libpq(waits), libpq.clone()));
    php.into_iter().chain(alone).collect()
}

pub fn run(bench: &Bench) -> Table {
    let iterations = if bench.settings.quick { QUICK } else { ITERATIONS };
    let alone = Alone::on(&bench.server);
    let under = alone.as_ref().map(Alone::under).unwrap_or_default();
    let libpq = Libpq::compile().map_err(|error| format!("{error:#}"));
    let mut rows = Vec::new();
    for (query, label, asked) in [
        (Query::Sum, "sum of two numbers", SUM),
        (Query::Join, "join of six tables", JOIN),
    ] {
        for line in Line::ALL {
            let label = format!("{label}, {line}");
            let contenders = contenders(query, libpq.as_ref());
            let times = rounds::rounds(contenders, bench.settings.runs, &label, |contender| {
                match (contender, &libpq) {
                    (Contender::Php(variant), _) => bench.time(variant, query, line, iterations, &under),
                    (Contender::Libpq(waits), Ok(libpq)) => {
                        bench.time_of_libpq(libpq, waits, line, iterations, &under)
                    }
                    (Contender::Libpq(_), Err(why)) => bail!("{why}"),
                }
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
        columns: contenders(Query::Sum, libpq.as_ref())
            .iter()
            .map(|(contender, _)| contender.to_string())
            .collect(),
        rows,
        notes: Vec::new(),
    }
}

fn against_stock(label: &str, times: &Results<Contender, f64>, asked: Asked) -> Row {
    row(
        format!("{label}: times as fast as stock"),
        times,
        |contender, values| {
            let ratios = stock(times)
                .iter()
                .zip(values)
                .map(|(stock, value)| stock / value);
            let asked = match contender {
                Contender::Php(variant) => asked.of(variant),
                Contender::Libpq(_) => None,
            };
            Cell::figures(ratios.collect(), Unit::Times).asked(asked)
        },
    )
}
