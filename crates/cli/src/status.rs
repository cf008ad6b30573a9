//! The line that tells how a recording stands, while it runs.

use sampler::Status;
use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

/// On a terminal, one line that is written over; elsewhere, a line now and then.
pub struct StatusLine {
    is_terminal: bool,
    shown: Instant,
    rate: u32,
}

const ON_TERMINAL: Duration = Duration::from_millis(500);
const ELSEWHERE: Duration = Duration::from_secs(10);

impl StatusLine {
    pub fn new(rate: u32) -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
            shown: Instant::now(),
            rate,
        }
    }

    /// Whether it is time to show it anew.
    pub fn is_due(&self) -> bool {
        self.shown.elapsed() >= if self.is_terminal { ON_TERMINAL } else { ELSEWHERE }
    }

    pub fn show(&mut self, status: &Status) {
        self.shown = Instant::now();
        let line = text(status, self.rate);
        // Nobody reads it any more: no reason to end the recording.
        let _ = if self.is_terminal {
            write!(io::stderr(), "\r\x1b[K{line}")
        } else {
            writeln!(io::stderr(), "phperf: {line}")
        };
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn text(status: &Status, rate: u32) -> String {
    let elapsed = status.elapsed.as_secs_f64();
    let share = status.own_cpu.as_secs_f64() / elapsed.max(0.001) * 100.0;
    let on_cpu = (status.on_cpu * 100).checked_div(status.samples).unwrap_or(0);
    format!(
        "{elapsed:.0} s · {} samples ({on_cpu} % on CPU) · {} lost · {} missed · {} {} at {rate} Hz · own CPU {share:.1} %",
        status.samples,
        status.lost,
        status.missed,
        status.targets,
        if status.targets == 1 {
            "process"
        } else {
            "processes"
        },
    )
}
