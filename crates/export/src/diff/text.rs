//! The comparison for people.

use super::{Change, Diff, Pair, Side};
use crate::{describe, report::columns::name_and_place};
use profile::harmless;
use std::{
    io::{self, Write},
    time::Duration,
};

impl Diff {
    /// Writes a table that is at most `width` columns wide, and at most `rows` functions long.
    pub fn write_text(&self, width: usize, rows: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let width = width.clamp(60, 1000);
        write_side('A', &self.a, width, out)?;
        write_side('B', &self.b, width, out)?;
        writeln!(out, "{}", self.scale_in_words())?;
        for note in &self.notes {
            writeln!(out, "note: {}", harmless(note))?;
        }
        writeln!(out, " self A      B    diff  total A      B    diff  function")?;
        let rows = rows.unwrap_or(usize::MAX);
        for change in self.functions.iter().take(rows) {
            self.write_row(change, width, out)?;
        }
        let more = self.functions.len().saturating_sub(rows);
        if more > 0 {
            writeln!(out, "and {more} more functions that changed less")?;
        }
        Ok(())
    }

    fn write_row(&self, change: &Change, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let figures = |pair: Pair| {
            let [a, b] = self.shares(pair);
            format!(
                "{:5.1}% {:5.1}% {}",
                a * 100.0,
                b * 100.0,
                signed((b - a) * 100.0)
            )
        };
        let row = format!(" {} {}  ", figures(change.own), figures(change.total));
        let room = width.saturating_sub(row.chars().count()).max(8);
        let text = name_and_place(&change.name, change.file.as_deref(), change.line, room);
        writeln!(out, "{row}{text}")
    }
}

/// Nothing is neither more nor less.
fn signed(points: f64) -> String {
    let text = format!("{points:+7.1}");
    if text.trim() == "-0.0" || text.trim() == "+0.0" {
        format!("{:>7}", "0.0")
    } else {
        text
    }
}

fn write_side(letter: char, side: &Side, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut parts = vec![format!("{letter}: {} samples", side.samples)];
    if let Some(ns) = side.duration_ns {
        parts.push(format!(" in {:.1} s", ns as f64 / 1e9));
    }
    if let Some(ns) = side.period_ns {
        parts.push(format!(" at {}", describe::rate(Duration::from_nanos(ns))));
    }
    if let Some(title) = &side.title {
        parts.push(format!(", {}", harmless(title)));
    }
    writeln!(out, "{}", describe::shorten(&parts.concat(), width))
}
