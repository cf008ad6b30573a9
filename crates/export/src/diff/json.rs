//! The comparison for programs.

use super::{Diff, Pair, Scale, Side};
use crate::json::{Json, OrNull};
use std::{
    fmt,
    io::{self, Write},
};

impl Diff {
    /// Writes JSON: `by`, `a`, `b`, `notes`, and `functions` with `self` and `total`, each with the samples of both, their
    /// shares and the `difference` of these.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let by = match self.scale {
            Scale::Samples => "samples",
            Scale::Time => "time",
        };
        write!(out, "{{\"by\":{}", Json(by))?;
        write!(
            out,
            ",\n\"a\":{},\n\"b\":{},\n\"notes\":[",
            About(&self.a),
            About(&self.b)
        )?;
        for (at, note) in self.notes.iter().enumerate() {
            write!(out, "{}{}", if at == 0 { "" } else { "," }, Json(note))?;
        }
        write!(out, "],\n\"functions\":[")?;
        for (at, change) in self.functions.iter().enumerate() {
            let line = OrNull(Some(u64::from(change.line)).filter(|&line| line > 0));
            writeln!(out, "{}", if at == 0 { "" } else { "," })?;
            write!(out, "{{\"name\":{},\"file\":", Json(&change.name))?;
            match &change.file {
                Some(file) => write!(out, "{}", Json(file))?,
                None => write!(out, "null")?,
            }
            write!(
                out,
                ",\"line\":{line},\"self\":{},\"total\":{}}}",
                Both(self, change.own),
                Both(self, change.total)
            )?;
        }
        writeln!(out, "\n]}}")
    }
}

struct About<'a>(&'a Side);

impl fmt::Display for About<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(side) = self;
        f.write_str("{\"title\":")?;
        match &side.title {
            Some(title) => Json(title).fmt(f)?,
            None => f.write_str("null")?,
        }
        write!(
            f,
            ",\"samples\":{},\"duration_ns\":{},\"period_ns\":{}}}",
            side.samples,
            OrNull(side.duration_ns),
            OrNull(side.period_ns)
        )
    }
}

struct Both<'a>(&'a Diff, Pair);

impl fmt::Display for Both<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(diff, pair) = self;
        let [a, b] = diff.shares(*pair);
        write!(
            f,
            "{{\"a\":{},\"b\":{},\"share_a\":{a:.6},\"share_b\":{b:.6},\"difference\":{:.6}}}",
            pair.a,
            pair.b,
            b - a
        )
    }
}
