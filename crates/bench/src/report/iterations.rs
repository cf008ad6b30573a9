//! One row for each sample.

use super::{Cell, Table, aggregate::short, memory as bytes, quantity};
use crate::model::{Class, Measurement, Sample, Subject, Suite, Variant};

/// Times, and how far each is from the mean.
pub(super) fn times(suite: &Suite) -> Vec<Table> {
    let mut table = table(&["mem_peak", "time_avg", "comp_z_value", "comp_deviation", "note"]);
    each(suite, |class, subject, variant, measurement, sample| {
        let (value, summary) = (sample.per_revolution(), &measurement.summary);
        let distance = value - summary.mean;
        let deviations = if summary.stdev > 0.0 {
            distance / summary.stdev
        } else {
            0.0
        };
        let percent = if summary.mean == 0.0 {
            0.0
        } else {
            distance / summary.mean * 100.0
        };
        let mut row = front(class, subject, variant, sample);
        row.extend([
            sample
                .memory
                .map_or_else(Cell::default, |memory| Cell::new(memory.peak, bytes(memory.peak))),
            Cell::new(value, quantity(value, subject)),
            Cell::new(deviations, format!("{deviations:+.2}σ")),
            Cell::new(percent, format!("{percent:+.2}%")),
            Cell::text(if sample.retried {
                "outside the threshold, taken again"
            } else {
                ""
            }),
        ]);
        table.rows.push(row);
    });
    vec![table]
}

/// Memory at the end of each sample.
pub(super) fn memory(suite: &Suite) -> Vec<Table> {
    let mut table = table(&["mem_final", "mem_real", "mem_peak"]);
    each(suite, |class, subject, variant, _, sample| {
        let mut row = front(class, subject, variant, sample);
        if let Some(memory) = sample.memory {
            row.extend(
                [memory.r#final, memory.real, memory.peak].map(|value| Cell::new(value, bytes(value))),
            );
        }
        row.resize(table.columns.len(), Cell::default());
        table.rows.push(row);
    });
    vec![table]
}

/// An empty table whose first columns say which sample it is.
fn table(more: &[&'static str]) -> Table {
    Table::new(
        "",
        &[&["iter", "benchmark", "subject", "set", "revs"], more].concat(),
    )
}

fn front(class: &Class, subject: &Subject, variant: &Variant, sample: &Sample) -> Vec<Cell> {
    vec![
        Cell::count(sample.iteration),
        Cell::text(short(class)),
        Cell::text(&subject.name),
        Cell::text(&variant.set),
        Cell::count(sample.revolutions),
    ]
}

/// Calls `with` for each sample.
pub(super) fn each(suite: &Suite, mut with: impl FnMut(&Class, &Subject, &Variant, &Measurement, &Sample)) {
    for (class, subject, variant) in suite.variants() {
        if let Some(measurement) = variant.measurement() {
            for sample in &measurement.samples {
                with(class, subject, variant, measurement, sample);
            }
        }
    }
}
