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
    format!(
        "{} … {}{}",
        duration(low, subject),
        duration(high, subject),
        level(summary)
    )
}

/// Behind an interval, what it reaches where that is less than 99 %.
pub fn level(summary: &Summary) -> String {
    if summary.level >= 0.99 {
        String::new()
    } else {
        format!(" ({:.0} %)", summary.level * 100.0)
    }
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
