//! Folded text that lost nothing but lines: `# key = value` lines tell the labels of the stacks below them,
//! where functions are declared, and how it was recorded. Readers of folded text skip them as comments.

use super::{Label, Stack};
use crate::{
    Recording,
    counts::{self, Counts},
    describe,
    escape::{Escaped, Reserved},
};
use indexmap::IndexMap;
use profile::{FunctionId, StackId, State, Symbols};
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
    writeln!(out, "# started_ns = {}", recording.started_ns())?;
    writeln!(out, "# period_ns = {}", recording.period_ns())?;
    writeln!(out, "# duration_ns = {}", recording.duration_ns())?;
    for note in describe::notes(recording) {
        writeln!(out, "# note = {}", Escaped(&note, Reserved::Rest))?;
    }
    write_functions(counts, symbols, out)?;

    let mut groups: IndexMap<(u32, u32, State), Vec<(StackId, u64)>> = IndexMap::new();
    for (key, count) in counts.iter() {
        groups
            .entry((key.pid, key.tid, key.state))
            .or_default()
            .push((key.stack, count));
    }
    groups.sort_unstable_keys();
    for ((pid, tid, state), stacks) in groups {
        writeln!(out, "# stacks = pid={pid} thread={tid} state={}", state.name())?;
        for (path, count) in counts::by_path(symbols, stacks.into_iter()) {
            writeln!(out, "{} {count}", Stack(symbols, &path))?;
        }
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
