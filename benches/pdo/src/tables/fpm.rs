//! What a page of FPM asks of the server.

use super::{Asked, row, stock};
use crate::{bench::Bench, variant::Variant};
use anyhow::{Result, ensure};
use common::{
    figure::{Unit, median},
    table::{Bound, Cell, Table},
};
use php::{Binary, Fpm, Manager, Pool, Request, workload};
use testbed::Tap;

pub const NAME: &str = "fpm";

/// Pages before the one that is looked at: until then, a persistent connection has all its statements.
const WARM_UP: usize = 4;

pub fn run(bench: &Bench) -> Table {
    let mut rows = Vec::new();
    for (label, query, asked) in [
        (
            "a connection for each page",
            "",
            Some(Asked::both(Bound::AtMost(40.0))),
        ),
        ("a persistent connection", "persistent=1", None),
    ] {
        let counted = Variant::rounds(bench.settings.counts(), &format!("FPM, {label}"), |variant| {
            page(bench, variant, query)
        });
        let stock = median(stock(&counted));
        rows.push(row(label, &counted, |_, values| {
            Cell::figures(values.to_vec(), Unit::Count)
        }));
        rows.push(row(
            format!("{label}: of stock's"),
            &counted,
            |variant, values| {
                let shares = values.iter().map(|value| 100.0 * value / stock).collect();
                Cell::figures(shares, Unit::Percent).asked(asked.and_then(|asked| asked.of(variant)))
            },
        ));
    }
    Table {
        name: NAME,
        title: "Round trips of a page of FPM with 20 different queries",
        method: format!(
            "Counted on the line to the server: simple queries, and ends of extended ones. The page after {WARM_UP} \
             others; connecting is not counted."
        ),
        columns: Variant::columns(),
        rows,
        notes: Vec::new(),
    }
}

fn page(bench: &Bench, variant: Variant, query: &str) -> Result<f64> {
    let tap = Tap::on(&bench.server)?;
    let fpm = Fpm::start(
        &Binary::fpm()?,
        &variant.ini(&bench.extension),
        &[Pool::new("www", Manager::Static(1))],
    )?;
    let request = Request::get(workload("pdo/page.php"), query).parameter("PAGE_DSN", &tap.dsn("postgres"));
    for _ in 0..WARM_UP {
        fpm.request("www", &request)?;
    }
    tap.take();
    let response = fpm.request("www", &request)?;
    ensure!(response.status() == 200, "the page failed: {}", response.body());
    Ok(tap.take().round_trips() as f64)
}
