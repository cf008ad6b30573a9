//! Histories for a terminal.

use super::{Line, Point};
use crate::{
    model::Subject,
    output::shown,
    report::{date, interval, quantity},
};
use std::io::{self, Write};
use trial::bars::level;

/// Where two runs cannot be compared.
const BREAK: char = '┊';

/// Writes each variant with its runs, the newest first.
pub fn write_text(lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}  {}", shown(&line.name()), spark(&line.points))?;
        for (at, point) in line.points.iter().enumerate().rev() {
            let before = at.checked_sub(1).map(|before| &line.points[before]);
            row(point, before, line.subject, out)?;
        }
    }
    Ok(())
}

fn row(point: &Point, before: Option<&Point>, subject: &Subject, out: &mut dyn Write) -> io::Result<()> {
    let suite = point.run.suite;
    let commit = suite.environment.commit();
    let id = point.run.id.map_or_else(|| "-".to_owned(), |id| id.to_string());
    let change = match before {
        Some(before) if point.breaks.is_empty() && before.summary.median > 0.0 => {
            let change = (point.summary.median / before.summary.median - 1.0) * 100.0;
            format!("{change:+.2} %")
        }
        _ => String::new(),
    };
    let of_commit = commit.map_or_else(String::new, |commit| {
        shown(&format!(
            "{:9}  {}",
            commit.short(),
            commit.subject.unwrap_or_default()
        ))
    });
    let line = format!(
        "{id:>5}  {}  {:>12}  {change:>10}  {:28}  {of_commit}",
        date(suite.started),
        quantity(point.summary.median, subject),
        interval(point.summary, subject)
    );
    writeln!(out, "{}", line.trim_end())?;
    point
        .breaks
        .iter()
        .try_for_each(|line| writeln!(out, "       {BREAK} {}", shown(line)))
}

/// A bar for each run, from the least to the most of all; these are taken to be no less than a twentieth apart, so that
/// noise is no mountain.
fn spark(points: &[Point]) -> String {
    let medians = || points.iter().map(|point| point.summary.median);
    let high = medians().fold(f64::NEG_INFINITY, f64::max);
    let low = medians().fold(f64::INFINITY, f64::min);
    let range = (high - low).max(high.abs() * 0.05);
    let bottom = f64::midpoint(low, high) - range / 2.0;
    let mut bars = String::new();
    for point in points {
        if !point.breaks.is_empty() {
            bars.push(BREAK);
        }
        bars.push(level((point.summary.median - bottom) / range));
    }
    bars
}
