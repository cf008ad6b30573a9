//! Counts while it records, and writes at the end.

use super::{
    MAGIC,
    costs::{Cost, Table},
};
use crate::{
    Exporter, Recording, Seen,
    counts::Counts,
    describe::WRITER,
    escape::{Escaped, Reserved},
    folded::{Label, NO_FRAMES},
};
use indexmap::IndexSet;
use profile::{Function, Kind, Symbols};
use std::{
    fmt,
    io::{self, Write},
};

/// The file of what PHP brings itself, as Xdebug calls it.
const INTERNAL: &str = "php:internal";
/// A file that is not told, as Callgrind calls it.
const UNKNOWN: &str = "???";

/// Counts while it records, and writes at the end.
#[derive(Debug, Default)]
pub struct Callgrind {
    counts: Counts,
}

impl Exporter for Callgrind {
    fn add(&mut self, _: &Symbols, seen: &Seen, _: &mut dyn Write) -> io::Result<()> {
        self.counts.add(seen);
        Ok(())
    }

    fn finish(&mut self, symbols: &Symbols, recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
        let table = Table::new(&self.counts, symbols);
        let events = Events {
            period_ns: recording.period_ns,
            tells_cpu: self.counts.tells_states(),
        };
        write_head(recording, &events, out)?;
        writeln!(out, "summary: {}", events.cost(table.all))?;
        let mut names = Names::default();
        for (&id, costs) in &table.functions {
            let function = symbols.function(id);
            writeln!(out, "\nfl={}", names.file(function))?;
            writeln!(out, "fn={}", names.function(function))?;
            for (line, &cost) in &costs.own {
                writeln!(out, "{line} {}", events.cost(cost))?;
            }
            for (&(line, callee), &cost) in &costs.calls {
                let callee = symbols.function(callee);
                writeln!(out, "cfi={}", names.file(callee))?;
                writeln!(out, "cfn={}", names.function(callee))?;
                writeln!(out, "calls={} {}", cost.periods, callee.first_line)?;
                writeln!(out, "{line} {}", events.cost(cost))?;
            }
        }
        if table.without.periods > 0 {
            writeln!(out, "\nfl={}", names.files.numbered(UNKNOWN.into()))?;
            writeln!(out, "fn={}", names.functions.numbered(NO_FRAMES.into()))?;
            writeln!(out, "0 {}", events.cost(table.without))?;
        }
        out.flush()
    }
}

fn write_head(recording: &Recording, events: &Events, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{MAGIC}\nversion: 1\ncreator: {WRITER}")?;
    writeln!(out, "cmd: {}", Escaped(&recording.title, Reserved::Rest))?;
    for note in &recording.notes {
        writeln!(out, "desc: Note: {}", Escaped(note, Reserved::Rest))?;
    }
    writeln!(
        out,
        "desc: Calls: samples in which the call was seen; a sampling profiler counts no calls"
    )?;
    writeln!(out, "positions: line")?;
    writeln!(out, "event: Samples : sampling periods")?;
    if events.period_ns.is_some() {
        writeln!(out, "event: Wall : time in nanoseconds, waiting included")?;
        if events.tells_cpu {
            writeln!(out, "event: Cpu : CPU time in nanoseconds")?;
        }
    }
    writeln!(out, "events: {}", events.names())
}

/// What is told of each line.
struct Events {
    period_ns: Option<u64>,
    tells_cpu: bool,
}

impl Events {
    const fn names(&self) -> &'static str {
        match (self.period_ns, self.tells_cpu) {
            (None, _) => "Samples",
            (Some(_), false) => "Samples Wall",
            (Some(_), true) => "Samples Wall Cpu",
        }
    }

    fn cost(&self, cost: Cost) -> String {
        let Some(period) = self.period_ns else {
            return cost.periods.to_string();
        };
        let wall = cost.periods.saturating_mul(period);
        if self.tells_cpu {
            format!("{} {wall} {}", cost.periods, cost.on_cpu.saturating_mul(period))
        } else {
            format!("{} {wall}", cost.periods)
        }
    }
}

/// Names, each in full the first time and as a number afterwards.
#[derive(Default)]
struct Names {
    files: Numbers,
    functions: Numbers,
}

impl Names {
    fn file(&mut self, function: &Function) -> Numbered {
        let file = match (&function.file, function.kind) {
            (Some(file), _) => Escaped(file, Reserved::Rest).to_string(),
            (None, Kind::Internal) => INTERNAL.into(),
            (None, _) => UNKNOWN.into(),
        };
        self.files.numbered(file)
    }

    fn function(&mut self, function: &Function) -> Numbered {
        self.functions.numbered(Label(function).to_string())
    }
}

#[derive(Default)]
struct Numbers(IndexSet<String>);

impl Numbers {
    fn numbered(&mut self, name: String) -> Numbered {
        match self.0.get_index_of(&name) {
            Some(number) => Numbered(number + 1, None),
            None => Numbered(self.0.insert_full(name.clone()).0 + 1, Some(name)),
        }
    }
}

struct Numbered(usize, Option<String>);

impl fmt::Display for Numbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", self.0)?;
        match &self.1 {
            Some(name) => write!(f, " {name}"),
            None => Ok(()),
        }
    }
}
