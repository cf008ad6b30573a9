//! Progress on standard error: words on a terminal, plain lines elsewhere.

use bench::{
    model::{Outcome, Subject, Suite, Summary, Variant, Verdict},
    progress::{Event, Progress, Silent},
    report::{deviation, note, quantity},
};
use std::{
    io::{self, IsTerminal, Write},
    time::Instant,
};

/// Samples between two looks at a terminal's line would only flicker.
const REDRAW_MS: u128 = 50;
/// Dots in a line.
const DOTS: usize = 64;

/// The view of that name.
pub fn view(name: &str) -> Option<Box<dyn Progress>> {
    let terminal = io::stderr().is_terminal();
    Some(match name {
        "none" => Box::new(Silent),
        "dots" => Box::new(Dots::default()),
        "plain" => Box::new(Lines::new(false)),
        "verbose" => Box::new(Lines::new(terminal)),
        _ => return None,
    })
}

/// A line for each variant; on a terminal it is drawn while the variant runs.
struct Lines {
    draws: bool,
    line: String,
    drawn: Instant,
    start: Instant,
    done: usize,
    variants: usize,
}

impl Lines {
    fn new(draws: bool) -> Self {
        Self {
            draws,
            line: String::new(),
            drawn: Instant::now(),
            start: Instant::now(),
            done: 0,
            variants: 0,
        }
    }

    /// How long the rest will take, if it goes on like this.
    fn left(&self) -> String {
        if self.done == 0 || self.variants <= self.done {
            return String::new();
        }
        let seconds =
            self.start.elapsed().as_secs_f64() / self.done as f64 * (self.variants - self.done) as f64;
        format!(", {}:{:02} left", seconds as u64 / 60, seconds as u64 % 60)
    }
}

impl Progress for Lines {
    fn event(&mut self, event: &Event<'_>) {
        let mut err = io::stderr().lock();
        // Nobody is helped by an error about an error stream.
        let _ = match event {
            Event::Found { planned, variants } => {
                self.variants = *variants;
                let skipped = if planned.skipped > 0 {
                    format!(", {} skipped", planned.skipped)
                } else {
                    String::new()
                };
                writeln!(
                    err,
                    "phperf: PHP {}, {variants} variants{skipped}",
                    planned.php.version
                )
            }
            Event::Class(class) => writeln!(err, "\n{}", class.name),
            Event::Variant { subject, variant, .. } => {
                self.line = format!("    {}", name(subject, variant));
                if self.draws {
                    write!(err, "{}", self.line)
                } else {
                    Ok(())
                }
            }
            Event::Sample { taken, asked, .. }
                if self.draws && self.drawn.elapsed().as_millis() >= REDRAW_MS =>
            {
                self.drawn = Instant::now();
                let left = self.left();
                write!(
                    err,
                    "\r\x1b[2K{} {taken}/{asked} (variant {} of {}{left})",
                    self.line,
                    self.done + 1,
                    self.variants
                )
                .and_then(|()| err.flush())
            }
            Event::Done {
                subject,
                variant,
                format,
                ..
            } => {
                self.done += 1;
                if self.draws {
                    let _ = write!(err, "\r\x1b[2K");
                }
                let _ = writeln!(
                    err,
                    "{}  {}",
                    self.line,
                    words(subject, variant, format.as_deref())
                );
                complaints(&mut err, variant)
            }
            Event::Failed { name, why } => writeln!(err, "    {name}  failed: {why}"),
            Event::End(suite) => end(&mut err, suite),
            _ => Ok(()),
        };
    }
}

/// A character for each variant.
#[derive(Default)]
struct Dots {
    written: usize,
}

impl Progress for Dots {
    fn event(&mut self, event: &Event<'_>) {
        let mut err = io::stderr().lock();
        let mark = match event {
            Event::Done { variant, .. } if variant.measurement().is_none() => "E",
            Event::Done { variant, .. } if !fails(variant).is_empty() => "F",
            Event::Done { .. } => ".",
            Event::Failed { .. } => "E",
            Event::End(suite) => {
                let _ = writeln!(err).and_then(|()| end(&mut err, suite));
                return;
            }
            _ => return,
        };
        self.written += 1;
        let newline = if self.written.is_multiple_of(DOTS) {
            "\n"
        } else {
            ""
        };
        let _ = write!(err, "{mark}{newline}").and_then(|()| err.flush());
    }
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
