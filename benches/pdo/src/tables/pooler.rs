//! What is lost under a pooler.

use super::{Asked, row};
use crate::{bench::Bench, variant::Variant};
use anyhow::{Result, ensure};
use common::{
    figure::Unit,
    table::{Bound, Cell, Row, Table},
};
use testbed::{Cache, Clients, Error, PgBouncer, Pooler, Release};

pub const NAME: &str = "pooler";

const CONNECTIONS: u32 = 2;
const NOTHING: Asked = Asked::both(Bound::AtMost(0.0));

pub fn run(bench: &Bench) -> Table {
    let newer = || Pooler::of_release(&Cache::of_user()?, Release::Trixie);
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for pooler in [Pooler::installed(), newer()] {
        match pooler {
            Ok(pooler) => rows.extend(pair(bench, &pooler)),
            Err(error) => notes.push(left_out(&error)),
        }
    }
    let clients = Clients::default();
    Table {
        name: NAME,
        title: "Under PgBouncer in transaction mode",
        method: format!(
            "{} clients on {CONNECTIONS} connections at once, each with {} statements, then {} transactions. Lost is \
             what ended with an error, wrong what had another answer than it should.",
            clients.count, clients.statements, clients.transactions
        ),
        columns: Variant::columns(),
        rows,
        notes,
    }
}

fn left_out(error: &Error) -> String {
    format!("a PgBouncer is left out: {error}.")
}

fn pair(bench: &Bench, pooler: &Pooler) -> [Row; 2] {
    let label = format!("PgBouncer {}", pooler.version());
    let counted = Variant::rounds(1, &label, |variant| -> Result<(f64, f64)> {
        let clients = Clients::default();
        let database = Clients::database(&bench.server)?;
        let bouncer = PgBouncer::start(pooler, &bench.server, CONNECTIONS, "")?;
        let said = clients.run(
            &bench.server,
            &bouncer.dsn(database),
            &variant.ini(&bench.extension),
        )?;
        ensure!(
            said.right + said.wrong + said.lost == clients.asked(),
            "{said:?} is not all"
        );
        Ok((said.lost as f64, said.wrong as f64))
    });
    let asked = Clients::default().asked();
    [("lost", first as fn(&(f64, f64)) -> f64), ("wrong", second)].map(|(what, pick)| {
        row(
            format!("{label}, {what} of {asked}"),
            &counted,
            |variant, values| {
                Cell::figures(values.iter().map(pick).collect(), Unit::Count).asked(NOTHING.of(variant))
            },
        )
    })
}

const fn first(pair: &(f64, f64)) -> f64 {
    pair.0
}

const fn second(pair: &(f64, f64)) -> f64 {
    pair.1
}
