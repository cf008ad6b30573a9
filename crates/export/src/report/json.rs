//! The report for programs.

use super::{Amount, Entry, Groups, Report};
use crate::json::{Json, OrNull};
use profile::Memory;
use std::io::{self, Write};

impl Report {
    /// Writes JSON: `samples`, `duration_ns`, and `functions` with `self` and `total` in samples.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{")?;
        self.write_head_json(out)?;
        write!(out, ",")?;
        self.write_sums(out)?;
        writeln!(out, "}}")
    }

    fn write_head_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "\"title\":{}", Text(self.title.as_deref()))?;
        write!(
            out,
            ",\"format\":{},\"duration_ns\":{},\"period_ns\":{}",
            Json(self.format),
            OrNull(self.duration_ns),
            OrNull(self.period_ns)
        )
    }

    fn write_sums(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "\"samples\":{},\"waiting\":{},\"wall_ns\":{}",
            self.all.samples,
            OrNull(self.waiting),
            OrNull(self.all.ns)
        )?;
        write_memory(self.memory, out)?;
        write!(out, ",\"functions\":[")?;
        for (at, entry) in self.functions.iter().enumerate() {
            writeln!(out, "{}", if at == 0 { "" } else { "," })?;
            write_entry(entry, out)?;
        }
        write!(out, "\n]")
    }
}

impl Groups {
    /// Writes JSON: `by`, `samples` and what else a report has, and `groups`, each with the `value` and a report.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"by\":{},", Json(self.by.name()))?;
        self.all.write_head_json(out)?;
        write!(out, ",\"samples\":{},\"groups\":[", self.all.all.samples)?;
        for (at, (value, report)) in self.groups.iter().enumerate() {
            write!(
                out,
                "{}\n{{\"value\":{},",
                if at == 0 { "" } else { "," },
                Text(value.as_deref())
            )?;
            report.write_sums(out)?;
            write!(out, "}}")?;
        }
        writeln!(out, "\n]}}")
    }
}

/// A text, or `null`.
struct Text<'a>(Option<&'a str>);

impl std::fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(text) => Json(text).fmt(f),
            None => f.write_str("null"),
        }
    }
}

/// Only where it is told: most profiles have none.
fn write_memory(memory: Option<Memory>, out: &mut dyn Write) -> io::Result<()> {
    match memory {
        Some(Memory { used, peak }) => write!(out, ",\"memory\":{used},\"memory_peak\":{peak}"),
        None => Ok(()),
    }
}

fn write_entry(entry: &Entry, out: &mut dyn Write) -> io::Result<()> {
    let file = Text(entry.file.as_deref());
    write!(out, "{{\"name\":{},\"file\":{file}", Json(&entry.name))?;
    let Amount {
        samples: own,
        ns: own_ns,
    } = entry.own;
    let Amount {
        samples: total,
        ns: total_ns,
    } = entry.total;
    let line = OrNull(Some(u64::from(entry.line)).filter(|&line| line > 0));
    write!(
        out,
        ",\"line\":{line},\"self\":{own},\"total\":{total},\"self_waiting\":{}",
        OrNull(entry.waiting)
    )?;
    write!(
        out,
        ",\"self_ns\":{},\"total_ns\":{}",
        OrNull(own_ns),
        OrNull(total_ns)
    )?;
    write_memory(entry.memory, out)?;
    write!(out, "}}")
}
