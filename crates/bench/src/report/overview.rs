//! The suite in a row, and its variants below.

use super::{Cell, Table, aggregate, deviation, quantity};
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
        Cell::count(samples().map(|sample| sample.revolutions).sum::<u64>()),
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

/// Seconds since 1970 as `2026-11-21 23:10:00Z`.
pub fn date(seconds: u64) -> String {
    // The civil calendar, counted in eras of 400 years from the first of March of the year 0.
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (
        day - (153 * month + 2) / 5 + 1,
        if month < 10 { month + 3 } else { month - 9 },
    );
    let year = era * 400 + year + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}
