//! Folded text that lost nothing but lines: `# key = value` lines tell the labels of the stacks below them,
//! where functions are declared, and how it was recorded. Readers of folded text skip them as comments.

use super::{Label, Stack};
use crate::{
    Labels, Recording,
    counts::{self, Counts},
    escape::{Escaped, Reserved},
    labels::{MEMORY, MEMORY_PEAK},
};
use indexmap::IndexMap;
use profile::{FunctionId, StackId, Symbols};
use std::io::{self, Write};

/// Writes everything that was counted.
pub fn write(
    counts: &Counts,
    symbols: &Symbols,
    recording: &Recording,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "# phperf = 1")?;
    writeln!(out, "# title = {}", Escaped(&recording.title, Reserved::Rest))?;
    for (key, value) in [
        ("started_ns", recording.started_ns),
        ("period_ns", recording.period_ns),
        ("duration_ns", recording.duration_ns),
    ] {
        if let Some(value) = value {
            writeln!(out, "# {key} = {value}")?;
        }
    }
    for note in &recording.notes {
        writeln!(out, "# note = {}", Escaped(note, Reserved::Rest))?;
    }
    write_functions(counts, symbols, out)?;

    let mut groups: IndexMap<Labels, Vec<(StackId, u64)>> = IndexMap::new();
    for (key, count) in counts.iter() {
        groups.entry(key.labels).or_default().push((key.stack, count));
    }
    groups.sort_unstable_keys();
    for (labels, stacks) in groups {
        write!(out, "# stacks =")?;
        write_labels(labels, symbols, out)?;
        writeln!(out)?;
        for (path, count) in counts::by_path(symbols, stacks.into_iter()) {
            writeln!(out, "{} {count}", Stack(symbols, &path))?;
        }
    }
    Ok(())
}

fn write_labels(labels: Labels, symbols: &Symbols, out: &mut dyn Write) -> io::Result<()> {
    let numbers = [
        ("pid", labels.pid.map(u64::from)),
        ("thread", labels.thread.map(u64::from)),
        (MEMORY, labels.memory.map(|memory| memory.used)),
        (MEMORY_PEAK, labels.memory.map(|memory| memory.peak)),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            write!(out, " {name}={number}")?;
        }
    }
    if let Some(state) = labels.state {
        write!(out, " state={}", state.name())?;
    }
    for (label, text) in symbols.context(labels.context) {
        write!(out, " {}={}", label.name(), Escaped(text, Reserved::PhpspyName))?;
    }
    Ok(())
}

/// Where each function that was seen is declared. Functions of one name in two files are one in folded text.
fn write_functions(counts: &Counts, symbols: &Symbols, out: &mut dyn Write) -> io::Result<()> {
    let mut seen = vec![false; symbols.functions().len()];
    for (key, _) in counts.iter() {
        for &location in symbols.stack(key.stack) {
            let id: FunctionId = symbols.location(location).function;
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let function = symbols.function(id);
            if let Some(file) = &function.file {
                let file = Escaped(file, Reserved::Rest);
                writeln!(
                    out,
                    "# function = {}\t{file}:{}",
                    Label(function),
                    function.first_line
                )?;
            }
        }
    }
    Ok(())
}
