//! A line on standard error that tells how something stands, while it goes on.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

/// How often a line is written where it cannot be written over.
const ELSEWHERE: Duration = Duration::from_secs(10);

/// On a terminal, one line that is written over; elsewhere, a line now and then.
pub struct Line {
    is_terminal: bool,
    every: Duration,
    shown: Instant,
}

impl Line {
    /// A line that a terminal shows anew after `every`.
    pub fn new(every: Duration) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self {
            is_terminal,
            every: if is_terminal { every } else { ELSEWHERE },
            shown: Instant::now(),
        }
    }

    /// Whether it is time to show it anew.
    pub fn is_due(&self) -> bool {
        self.shown.elapsed() >= self.every
    }

    pub fn show(&mut self, text: &str) {
        self.shown = Instant::now();
        // Nobody reads it any more: no reason to end what it tells of.
        let _ = if self.is_terminal {
            write!(io::stderr(), "\r\x1b[K{text}")
        } else {
            writeln!(io::stderr(), "phperf: {text}")
        };
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
