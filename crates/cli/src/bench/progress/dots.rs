//! A character for each variant.

use super::{end, fails};
use bench::progress::{Event, Progress};
use std::io::{self, Write};

/// Dots in a line.
const DOTS: usize = 64;

/// A character for each variant.
#[derive(Default)]
pub struct Dots {
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
