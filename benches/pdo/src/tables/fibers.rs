//! How long fibers wait that wait at once.

use super::row;
use crate::{bench::Bench, variant::Variant};
use common::{
    figure::Unit,
    rounds,
    table::{Bound, Cell, Table},
};
use std::fmt;

pub const NAME: &str = "fibers";

const SECONDS: f64 = 0.5;

/// Fibers, connections, and the seconds that they may take together.
const LOADS: [(u32, u32, f64); 2] = [(10, 10, 0.55), (64, 8, 4.2)];

/// Whose fibers wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    Stock,
    Pool,
}

impl Contender {
    const ALL: [Self; 2] = [Self::Stock, Self::Pool];

    const fn variant(self) -> Variant {
        match self {
            Self::Stock => Variant::Stock,
            Self::Pool => Variant::Transparent,
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stock => "stock",
            Self::Pool => "a pool, pdo_pool_run()",
        })
    }
}

pub fn run(bench: &Bench) -> Table {
    let rows = LOADS.map(|(fibers, connections, most)| {
        let label = format!("{fibers} fibers, {connections} connections");
        let contenders = Contender::ALL.map(|contender| (contender, Ok(())));
        let times = rounds::rounds(contenders, bench.settings.counts(), &label, |contender| {
            let connections = if contender == Contender::Pool {
                connections
            } else {
                0
            };
            bench.fibers(contender.variant(), fibers, SECONDS, connections)
        });
        row(label, &times, |contender, values| {
            let asked = (contender == Contender::Pool).then_some(Bound::AtMost(most));
            Cell::figures(values.to_vec(), Unit::Seconds).asked(asked)
        })
    });
    Table {
        name: NAME,
        title: "Fibers that wait at once",
        method: format!(
            "Each fiber waits {SECONDS} s in the server, all of them on one PDO object, over TCP. Its first connection \
             is made before, the others while the time is taken. Stock has one, and blocks."
        ),
        columns: Contender::ALL.iter().map(ToString::to_string).collect(),
        rows: rows.into(),
        notes: Vec::new(),
    }
}
