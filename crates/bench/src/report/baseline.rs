//! One row for each variant, with the run that it was compared with.

use super::{Cell, Table, aggregate::short, interval, quantity};
use crate::model::Suite;

const COLUMNS: [&str; 9] = [
    "benchmark",
    "subject",
    "set",
    "revs",
    "baseline",
    "baseline_interval",
    "median",
    "interval",
    "change",
];

pub(super) fn tables(suite: &Suite) -> Vec<Table> {
    let mut table = Table::new("", &COLUMNS);
    for (class, subject, variant) in suite.variants() {
        let mut row = vec![
            Cell::text(short(class)),
            Cell::text(&subject.name),
            Cell::text(&variant.set),
            Cell::count(variant.revolutions),
        ];
        let now = variant.measurement().map(|measurement| &measurement.summary);
        for summary in [variant.baseline.as_ref(), now] {
            match summary {
                Some(summary) => row.extend([
                    Cell::new(summary.median, quantity(summary.median, subject)),
                    Cell::new(
                        vec![summary.interval.0, summary.interval.1],
                        interval(summary, subject),
                    ),
                ]),
                None => row.extend([Cell::default(), Cell::default()]),
            }
        }
        row.push(match (&variant.baseline, now) {
            (Some(before), Some(now)) if before.median > 0.0 => {
                let change = (now.median / before.median - 1.0) * 100.0;
                Cell::new(change, format!("{change:+.2}%"))
            }
            _ => Cell::default(),
        });
        table.rows.push(row);
    }
    vec![table]
}
