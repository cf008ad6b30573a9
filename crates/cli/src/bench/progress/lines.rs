//! A line for each variant.

use super::{complaints, end, name, words};
use bench::{
    model::Measurement,
    progress::{Event, Progress},
};
use std::{
    io::{self, Write},
    time::Instant,
};

/// Samples between two looks at a terminal's line would only flicker.
const REDRAW_MS: u128 = 50;

/// Samples in characters.
pub type Picture = fn(&Measurement) -> String;

/// A line for each variant; on a terminal it is drawn while the variant runs.
pub struct Lines {
    draws: bool,
    picture: Option<Picture>,
    line: String,
    drawn: Instant,
    start: Instant,
    done: usize,
    variants: usize,
}

impl Lines {
    /// `draws` says whether a line may be written again; `picture` is shown of each variant.
    pub fn new(draws: bool, picture: Option<Picture>) -> Self {
        Self {
            draws,
            picture,
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
                let picture = self.picture.zip(variant.measurement());
                let picture = picture.map_or_else(String::new, |(draw, measurement)| {
                    format!("{}  ", draw(measurement))
                });
                let words = words(subject, variant, format.as_deref());
                let _ = writeln!(err, "{}  {picture}{words}", self.line);
                complaints(&mut err, variant)
            }
            Event::Failed { name, why } => writeln!(err, "    {name}  failed: {why}"),
            Event::End(suite) => end(&mut err, suite),
            _ => Ok(()),
        };
    }
}
