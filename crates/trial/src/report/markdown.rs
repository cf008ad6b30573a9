//! For a comment in a code review.

use super::{Entry, Report, figure::share, sentence};
use crate::Verdict;
use std::io::{self, Write};

/// For a comment in a code review: what changed first, everything else folded away.
pub fn write_markdown(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (told, rest): (Vec<&Entry>, Vec<&Entry>) =
        report.entries.iter().partition(|entry| match &entry.outcome {
            Ok(outcome) => matches!(outcome.look.verdict, Verdict::Faster | Verdict::Slower),
            Err(_) => true,
        });
    writeln!(
        out,
        "**phperf compare**: {} of `{}` (A) and `{}` (B)\n",
        report.metric,
        code(&report.a.label),
        code(&report.b.label)
    )?;
    if let Some(why) = &report.partial {
        writeln!(out, "**Partial**: {}.\n", cell(why))?;
    }
    if !told.is_empty() {
        table(report, &told, out)?;
    }
    if !rest.is_empty() {
        let counted = |verdict: Verdict| {
            let is =
                |entry: &&&Entry| matches!(&entry.outcome, Ok(outcome) if outcome.look.verdict == verdict);
            rest.iter().filter(is).count()
        };
        writeln!(
            out,
            "<details><summary>{} the same within {}, {} inconclusive</summary>\n",
            counted(Verdict::Same),
            share(report.plan.margin()),
            counted(Verdict::Inconclusive)
        )?;
        table(report, &rest, out)?;
        writeln!(out, "</details>\n")?;
    }
    if let Some(mean) = report.geometric_mean() {
        writeln!(out, "Geometric mean: {}.\n", sentence::estimate(mean))?;
    }
    for note in &report.notes {
        writeln!(out, "Note: {}\n", cell(note))?;
    }
    writeln!(
        out,
        "Measured in pairs, in an order drawn at random (seed {}); each interval holds with {}.",
        report.seed,
        share(report.plan.confidence())
    )
}

fn table(report: &Report, entries: &[&Entry], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| | A | B | result | |\n|---|---|---|---|---|")?;
    for entry in entries {
        let name = cell(&entry.name);
        match &entry.outcome {
            Ok(outcome) => writeln!(
                out,
                "| {name} | {} | {} | {} | {} |",
                sentence::median(&outcome.a, report.kind),
                sentence::median(&outcome.b, report.kind),
                sentence::verdict(&outcome.look, report.plan),
                sentence::effort(outcome, report.plan)
            )?,
            Err(error) => writeln!(
                out,
                "| {name} | - | - | no answer: {} | |",
                cell(&error.to_string())
            )?,
        }
    }
    writeln!(out)
}

/// Text that cannot break out of a table's cell.
fn cell(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

/// Text between backticks.
fn code(text: &str) -> String {
    text.replace('`', "'").replace(['\n', '\r'], " ")
}
