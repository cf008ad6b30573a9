//! Progress on standard error: words on a terminal, plain lines elsewhere.

mod dots;
mod json;
mod lines;
mod picture;
mod quiet;

use bench::{
    model::{Outcome, Subject, Suite, Summary, Variant, Verdict},
    progress::Progress,
    report::{deviation, note, quantity},
};
use dots::Dots;
use json::Json;
use lines::Lines;
use quiet::Quiet;
use std::io::{self, IsTerminal, Write};

/// What there is, for whoever asks for something else.
pub const NAMES: &str = "verbose, dots, plain, histogram, blinken, json, none";

/// The view of that name.
pub fn view(name: &str) -> Option<Box<dyn Progress>> {
    let terminal = io::stderr().is_terminal();
    Some(match name {
        "none" => Box::new(Quiet),
        "dots" => Box::new(Dots::default()),
        "plain" => Box::new(Lines::new(false, None)),
        "verbose" => Box::new(Lines::new(terminal, None)),
        "histogram" => Box::new(Lines::new(terminal, Some(picture::histogram))),
        "blinken" => Box::new(Lines::new(terminal, Some(picture::samples))),
        "json" => Box::new(Json),
        _ => return None,
    })
}

fn name(subject: &Subject, variant: &Variant) -> String {
    if variant.set.is_empty() {
        subject.name.clone()
    } else {
        format!("{} # {}", subject.name, variant.set)
    }
}

fn words(subject: &Subject, variant: &Variant, format: Option<&str>) -> String {
    if let Some(format) = format {
        return format.to_owned();
    }
    match &variant.outcome {
        Outcome::Failed(failure) => format!("failed: {}", failure.message),
        Outcome::Measured(measurement) => {
            let Summary { median, rstdev, .. } = &measurement.summary;
            let words = format!("{} ({})", quantity(*median, subject), deviation(*rstdev));
            let note = note(variant);
            if note.is_empty() {
                words
            } else {
                format!("{words} {note}")
            }
        }
    }
}

/// Assertions of a variant that do not hold.
fn fails(variant: &Variant) -> Vec<String> {
    let failed = variant.assertions.iter().filter(|one| one.verdict.is_broken());
    failed
        .map(|one| format!("{}: {}", one.expression, one.message))
        .collect()
}

fn complaints(err: &mut impl Write, variant: &Variant) -> io::Result<()> {
    fails(variant)
        .iter()
        .try_for_each(|line| writeln!(err, "        does not hold: {line}"))
}

fn end(err: &mut impl Write, suite: &Suite) -> io::Result<()> {
    let (mut measured, mut samples, mut failed, mut unchecked) = (0, 0, 0, 0);
    for (_, _, variant) in suite.variants() {
        let taken = variant
            .measurement()
            .map_or(0, |measurement| measurement.samples.len());
        measured += usize::from(taken > 0);
        samples += taken;
        failed += fails(variant).len();
        unchecked += variant
            .assertions
            .iter()
            .filter(|one| one.verdict == Verdict::Unchecked)
            .count();
    }
    writeln!(
        err,
        "\n{measured} variants, {samples} samples, {} failures, {failed} assertions that do not hold",
        suite.failures().len()
    )?;
    if unchecked > 0 {
        writeln!(
            err,
            "{unchecked} assertions speak of a baseline and were not checked: there is none"
        )?;
    }
    for note in &suite.notes {
        writeln!(err, "note: {note}")?;
    }
    if suite.partial {
        writeln!(err, "interrupted: this is what was measured until then")?;
    }
    Ok(())
}
