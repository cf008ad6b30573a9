//! How figures are shown.

use crate::{
    expression::units,
    model::{Metric, Subject, Summary},
};

/// A figure per revolution, in the unit that the subject wants.
pub fn quantity(value: f64, subject: &Subject) -> String {
    let unit = unit(subject);
    if subject.metric != Metric::Instructions && subject.display.throughput {
        let unit = if unit == "time" { "second" } else { unit };
        return units::show(value / 1000.0, &format!("ops/{unit}"), subject.display.precision);
    }
    duration(value, subject)
}

/// The median's interval. It is shown as time also where throughput is asked for.
pub fn interval(summary: &Summary, subject: &Subject) -> String {
    let (low, high) = summary.interval;
    let level = if summary.level >= 0.99 {
        String::new()
    } else {
        format!(" ({:.0} %)", summary.level * 100.0)
    };
    format!("{} … {}{level}", duration(low, subject), duration(high, subject))
}

fn duration(value: f64, subject: &Subject) -> String {
    if subject.metric == Metric::Instructions {
        return format!("{} ins", units::grouped(value, usize::from(value.abs() < 100.0)));
    }
    units::show(value / 1000.0, unit(subject), subject.display.precision)
}

/// The unit that the subject wants, or whatever fits.
fn unit(subject: &Subject) -> &str {
    let asked = subject.display.unit.as_deref();
    asked.filter(|unit| units::can_show(unit)).unwrap_or("time")
}

/// Percent.
pub fn deviation(percent: f64) -> String {
    format!("±{percent:.2}%")
}

/// Bytes.
pub fn memory(bytes: u64) -> String {
    units::show(bytes as f64, "memory", None)
}
