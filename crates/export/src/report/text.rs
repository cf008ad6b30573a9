//! The report for people.

use super::{
    Entry, Report,
    columns::{name_and_place, percent},
};
use crate::describe;
use std::{
    io::{self, Write},
    time::Duration,
};

impl Report {
    /// Writes a table that is at most `width` columns wide, and at most `rows` functions long.
    pub fn write_text(&self, width: usize, rows: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let width = width.clamp(40, 1000);
        self.write_head(width, out)?;
        let rows = rows.unwrap_or(usize::MAX);
        let states = self.waiting.is_some();
        let waiting = if states { " waiting" } else { "" };
        writeln!(out, "    self         total        {waiting}  function")?;
        for entry in self.functions.iter().take(rows) {
            self.write_row(entry, width, out)?;
        }
        let more = self.functions.len().saturating_sub(rows);
        if more > 0 {
            let own: u64 = self
                .functions
                .iter()
                .skip(rows)
                .map(|entry| entry.own.samples)
                .sum();
            writeln!(
                out,
                "and {more} more functions with {} of self",
                percent(own, self.all.samples).trim()
            )?;
        }
        Ok(())
    }

    fn write_head(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        if let Some(title) = &self.title {
            let title: String = title
                .chars()
                .map(|char| if char.is_control() { ' ' } else { char })
                .collect();
            writeln!(out, "{}", describe::shorten(&title, width))?;
        }
        write!(out, "{} samples", self.all.samples)?;
        if let Some(ns) = self.duration_ns {
            write!(out, " in {:.1} s", ns as f64 / 1e9)?;
        }
        if let Some(ns) = self.period_ns {
            write!(out, " at {}", describe::rate(Duration::from_nanos(ns)))?;
        }
        if let Some(waiting) = self.waiting {
            write!(
                out,
                "; {} of them waiting",
                percent(waiting, self.all.samples).trim()
            )?;
        }
        writeln!(out)
    }

    fn write_row(&self, entry: &Entry, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let (own, total, all) = (entry.own.samples, entry.total.samples, self.all.samples);
        let mut row = format!(
            "{} {own:>8} {} {total:>8}",
            percent(own, all),
            percent(total, all)
        );
        if self.waiting.is_some() {
            row.push_str("  ");
            row.push_str(&percent(entry.waiting.unwrap_or(0), all));
        }
        row.push_str("  ");
        let room = width.saturating_sub(row.chars().count()).max(8);
        let text = name_and_place(&entry.name, entry.file.as_deref(), entry.line, room);
        writeln!(out, "{row}{text}")
    }
}
