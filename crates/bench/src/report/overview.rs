//! The suite in a row, and its variants below.

use super::{Cell, Table, aggregate, date, deviation, quantity};
use crate::{
    expression::units,
    model::{Suite, Variant},
};

pub(super) fn tables(suite: &Suite) -> Vec<Table> {
    vec![whole(suite), variants(suite)]
}

fn whole(suite: &Suite) -> Table {
    let columns = [
        "suite",
        "date",
        "php",
        "opcache",
        "vcs branch",
        "xdebug",
        "variants",
        "failed",
        "iterations",
        "revs",
        "net_time",
    ];
    let value = |group, key| suite.environment.value(group, key).unwrap_or_default();
    let mut table = Table::new("Suite", &columns);
    let measured = || {
        suite
            .variants()
            .filter_map(|(_, _, variant)| variant.measurement())
    };
    let samples = || measured().flat_map(|measurement| &measurement.samples);
    let net = samples().map(|sample| sample.net() as f64).sum::<f64>();
    table.rows.push(vec![
        Cell::text(suite.tag.as_deref().unwrap_or_default()),
        Cell::new(suite.started, date(suite.started)),
        Cell::text(value("php", "version")),
        Cell::text(value("opcache", "enabled")),
        Cell::text(value("vcs", "branch")),
        Cell::text(value("php", "xdebug")),
        Cell::count(measured().count() as u64),
        Cell::count(suite.failures().len() as u64),
        Cell::count(samples().count() as u64),
        // A file may name any numbers.
        Cell::count(samples().fold(0_u64, |sum, sample| sum.saturating_add(sample.revolutions))),
        Cell::new(net, units::show(net / 1000.0, "time", None)),
    ]);
    table
}

fn variants(suite: &Suite) -> Table {
    let mut table = Table::new(
        "Variants",
        &[
            "benchmark",
            "subject",
            "memory",
            "min",
            "max",
            "mode",
            "rstdev",
            "stdev",
            "note",
        ],
    );
    for (class, subject, variant) in suite.variants() {
        let mut row = vec![
            Cell::text(aggregate::short(class)),
            Cell::text(name(&subject.name, variant)),
        ];
        if let Some(measurement) = variant.measurement() {
            let summary = &measurement.summary;
            let figure = |value: f64| Cell::new(value, quantity(value, subject));
            row.extend([
                aggregate::peak(measurement),
                figure(summary.min),
                figure(summary.max),
                figure(summary.mode),
                Cell::new(summary.rstdev, deviation(summary.rstdev)),
                figure(summary.stdev),
            ]);
        }
        row.resize(table.columns.len() - 1, Cell::default());
        row.push(Cell::text(aggregate::note(variant)));
        table.rows.push(row);
    }
    table
}

fn name(subject: &str, variant: &Variant) -> String {
    if variant.set.is_empty() {
        subject.to_owned()
    } else {
        format!("{subject} ({})", variant.set)
    }
}
