//! Comparisons that are kept, beside histories.

use crate::{output::shown, report::date, store::Comparison};
use std::{
    collections::BTreeMap,
    io::{self, Write},
};
use trial::{Entry, cells, change};

/// Lists them: what was compared, and how many verdicts of each kind there are.
pub fn write_comparisons(comparisons: &[Comparison], out: &mut dyn Write) -> io::Result<()> {
    head(comparisons, out)?;
    for one in comparisons {
        let report = &one.report;
        let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &report.entries {
            *verdicts.entry(verdict(entry)).or_default() += 1;
        }
        let verdicts: Vec<String> = verdicts
            .iter()
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        let mean = report
            .geometric_mean()
            .map(|mean| format!("; mean {}", change(mean.value)));
        let line = format!(
            "{:>5}  {:20}  A {}  B {}: {}{}{}{}",
            one.id,
            date(one.kept),
            report.a.label,
            report.b.label,
            verdicts.join(", "),
            mean.unwrap_or_default(),
            one.tag.as_ref().map(|tag| format!("  {tag}")).unwrap_or_default(),
            if report.partial.is_some() {
                " (interrupted)"
            } else {
                ""
            }
        );
        writeln!(out, "{}", shown(&line))?;
    }
    Ok(())
}

/// Whether a subject of it has a name that contains `part`.
pub fn compares(comparison: &Comparison, part: &str) -> bool {
    of(comparison, part).next().is_some()
}

fn of<'a>(comparison: &'a Comparison, part: &'a str) -> impl Iterator<Item = &'a Entry> {
    let entries = comparison.report.entries.iter();
    entries.filter(move |entry| entry.name.contains(part))
}

/// Writes what each of them says of the subjects whose names contain `part`.
pub fn write_compared(comparisons: &[Comparison], part: &str, out: &mut dyn Write) -> io::Result<()> {
    head(comparisons, out)?;
    for one in comparisons {
        for entry in of(one, part) {
            let none = || ("-".to_owned(), "-".to_owned());
            let (ratio, interval) = entry
                .outcome
                .as_ref()
                .map_or_else(|_| none(), |outcome| cells(&outcome.look));
            let line = format!(
                "{:>5}  {}  {ratio:>10}  {interval:24}  {:12}  A {}  B {}  {}",
                one.id,
                date(one.kept),
                verdict(entry),
                one.report.a.label,
                one.report.b.label,
                entry.name
            );
            writeln!(out, "{}", shown(&line))?;
        }
    }
    Ok(())
}

fn head(comparisons: &[Comparison], out: &mut dyn Write) -> io::Result<()> {
    if comparisons.is_empty() {
        return Ok(());
    }
    writeln!(out, "\ncomparisons (phperf bench show --comparison NUMBER)")
}

fn verdict(entry: &Entry) -> &'static str {
    entry
        .outcome
        .as_ref()
        .map_or("failed", |outcome| outcome.look.verdict.name())
}
