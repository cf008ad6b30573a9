//! The report for programs.

use super::{Amount, Entry, Report};
use crate::json::{Json, OrNull};
use std::io::{self, Write};

impl Report {
    /// Writes JSON: `samples`, `duration_ns`, and `functions` with `self` and `total` in samples.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"title\":")?;
        match &self.title {
            Some(title) => write!(out, "{}", Json(title))?,
            None => write!(out, "null")?,
        }
        write!(
            out,
            ",\"format\":{},\"samples\":{},\"waiting\":{},\"wall_ns\":{},\"duration_ns\":{},\"period_ns\":{}",
            Json(self.format),
            self.all.samples,
            OrNull(self.waiting),
            OrNull(self.all.ns),
            OrNull(self.duration_ns),
            OrNull(self.period_ns)
        )?;
        write!(out, ",\"functions\":[")?;
        for (at, entry) in self.functions.iter().enumerate() {
            writeln!(out, "{}", if at == 0 { "" } else { "," })?;
            write_entry(entry, out)?;
        }
        writeln!(out, "\n]}}")
    }
}

fn write_entry(entry: &Entry, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"name\":{},\"file\":", Json(&entry.name))?;
    match &entry.file {
        Some(file) => write!(out, "{}", Json(file))?,
        None => write!(out, "null")?,
    }
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
        ",\"self_ns\":{},\"total_ns\":{}}}",
        OrNull(own_ns),
        OrNull(total_ns)
    )
}
