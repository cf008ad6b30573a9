//! One row for each variant.

use super::{Cell, Table, deviation, interval, memory, quantity};
use crate::model::{Class, Measurement, Outcome, Subject, Suite, Variant};
use serde_json::json;

const COLUMNS: [&str; 22] = [
    "benchmark",
    "subject",
    "set",
    "groups",
    "executor",
    "revs",
    "its",
    "mem_peak",
    "median",
    "interval",
    "mad",
    "mode",
    "mean",
    "min",
    "best",
    "max",
    "worst",
    "stdev",
    "rstdev",
    "empty",
    "clock",
    "note",
];

const OPTIONAL: [&str; 11] = [
    "groups", "executor", "mad", "mean", "min", "best", "max", "worst", "stdev", "empty", "clock",
];

pub(super) fn tables(suite: &Suite) -> Vec<Table> {
    let mut table = Table::new("", &COLUMNS);
    table.optional = OPTIONAL.to_vec();
    table.rows = suite
        .variants()
        .map(|(class, subject, variant)| row(class, subject, variant))
        .collect();
    vec![table]
}

/// The last part of a class's name.
pub fn short(class: &Class) -> &str {
    class.name.rsplit('\\').next().unwrap_or_default()
}

fn row(class: &Class, subject: &Subject, variant: &Variant) -> Vec<Cell> {
    let mut row = vec![
        Cell::text(short(class)),
        Cell::text(&subject.name),
        Cell::text(&variant.set),
        Cell::text(subject.groups.join(",")),
        Cell::text(&subject.executor),
        Cell::count(variant.revolutions),
    ];
    if let Some(measurement) = variant.measurement() {
        let summary = &measurement.summary;
        let figure = |value: f64| Cell::new(value, quantity(value, subject));
        let nanoseconds = |value: f64| Cell::new(value, format!("{value:.1}"));
        row.extend([
            Cell::count(measurement.samples.len() as u64),
            peak(measurement),
            figure(summary.median),
            Cell::new(
                json!([summary.interval.0, summary.interval.1]),
                interval(summary, subject),
            ),
            figure(summary.mad),
            figure(summary.mode),
            figure(summary.mean),
            figure(summary.min),
            figure(summary.min),
            figure(summary.max),
            figure(summary.max),
            figure(summary.stdev),
            Cell::new(summary.rstdev, deviation(summary.rstdev)),
            nanoseconds(summary.empty),
            nanoseconds(summary.clock),
        ]);
    } else {
        row.push(Cell::count(0_u64));
    }
    row.resize(COLUMNS.len() - 1, Cell::default());
    row.push(Cell::text(note(variant)));
    row
}

/// The most memory that an iteration had in use.
pub(super) fn peak(measurement: &Measurement) -> Cell {
    let peak = measurement.peak();
    peak.map_or_else(Cell::default, |bytes| Cell::new(bytes, memory(bytes)))
}

/// What the reader of the figures has to know.
pub fn note(variant: &Variant) -> String {
    let measurement = match &variant.outcome {
        Outcome::Failed(failure) => return format!("failed: {}", failure.message),
        Outcome::Measured(measurement) => measurement,
    };
    let summary = &measurement.summary;
    let mut notes = Vec::new();
    if summary.no_op {
        notes.push("≈ no-op: folded away?".to_owned());
    }
    if summary.modes > 1 {
        notes.push(format!("{} modes", summary.modes));
    }
    if summary.outliers > 0 {
        notes.push(format!(
            "{} outlier{}",
            summary.outliers,
            if summary.outliers == 1 { "" } else { "s" }
        ));
    }
    let retried = measurement.samples.iter().filter(|sample| sample.retried).count();
    if retried > 0 {
        notes.push(format!("{retried} taken again"));
    }
    if measurement.samples.len() < variant.iterations as usize {
        notes.push(format!(
            "interrupted: {} of {}",
            measurement.samples.len(),
            variant.iterations
        ));
    }
    notes.join("; ")
}
