//! The report for people.

use super::{
    Entry, Groups, Report,
    columns::{bytes, name_and_place, percent, shorten_left},
};
use crate::describe;
use profile::{Memory, harmless};
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
        writeln!(
            out,
            "    self         total        {}  function",
            self.more_columns("memory")
        )?;
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
            writeln!(out, "{}", describe::shorten(&harmless(title), width))?;
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

    /// The heads of the columns that some profiles have.
    fn more_columns(&self, memory: &str) -> String {
        let waiting = if self.waiting.is_some() { " waiting" } else { "" };
        let memory = self.memory.map_or_else(String::new, |_| format!("  {memory:>7}"));
        [waiting, &memory].concat()
    }

    /// The columns that some profiles have.
    fn more(&self, waiting: Option<u64>, memory: Option<u64>, all: u64) -> String {
        let mut more = String::new();
        if self.waiting.is_some() {
            more.extend(["  ", &percent(waiting.unwrap_or(0), all)]);
        }
        if self.memory.is_some() {
            let memory = memory.map_or_else(|| " ".repeat(7), bytes);
            more.extend(["  ", &memory]);
        }
        more
    }

    fn write_row(&self, entry: &Entry, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let (own, total, all) = (entry.own.samples, entry.total.samples, self.all.samples);
        let mut row = format!(
            "{} {own:>8} {} {total:>8}",
            percent(own, all),
            percent(total, all)
        );
        row.push_str(&self.more(entry.waiting, entry.memory.map(|memory| memory.used), all));
        row.push_str("  ");
        let room = width.saturating_sub(row.chars().count()).max(8);
        let text = name_and_place(&entry.name, entry.file.as_deref(), entry.line, room);
        writeln!(out, "{row}{text}")
    }
}

impl Groups {
    /// Writes a table that is at most `width` columns wide, and at most `rows` values long.
    pub fn write_text(&self, width: usize, rows: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let width = width.clamp(40, 1000);
        self.all.write_head(width, out)?;
        let more = self.all.more_columns("peak");
        writeln!(
            out,
            "   share samples{more}  {}, and its hottest function",
            self.by.name()
        )?;
        let rows = rows.unwrap_or(usize::MAX);
        for (value, report) in self.groups.iter().take(rows) {
            let value = value.as_deref().unwrap_or("(none told)");
            self.write_row(value, report, width, out)?;
        }
        let left = self.groups.iter().skip(rows);
        if left.len() > 0 {
            let samples: u64 = left.clone().map(|(_, report)| report.all.samples).sum();
            writeln!(
                out,
                "and {} more with {}",
                left.len(),
                percent(samples, self.all.all.samples).trim()
            )?;
        }
        Ok(())
    }

    fn write_row(&self, value: &str, report: &Report, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let (samples, all) = (report.all.samples, self.all.all.samples);
        let peak = report.memory.map(|Memory { peak, .. }| peak);
        let more = self.all.more(report.waiting, peak, all);
        let row = format!("{} {samples:>8}{more}  ", percent(samples, all));
        let room = width.saturating_sub(row.chars().count()).max(8);
        let mut text = shorten_left(value, room);
        if let Some(hottest) = report.functions.first() {
            let share = percent(hottest.own.samples, samples);
            let left = room.saturating_sub(text.chars().count() + 2 + share.len() + 1);
            if left >= hottest.name.chars().count().min(16) {
                text.extend(["  ", share.trim_start(), " ", &shorten_left(&hottest.name, left)]);
            }
        }
        writeln!(out, "{row}{}", harmless(&text))
    }
}
