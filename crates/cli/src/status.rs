//! The line that tells how a recording stands, while it runs.

use crate::line::Line;
use sampler::Status;
use std::time::Duration;

const ON_TERMINAL: Duration = Duration::from_millis(500);

/// How many samples there are, and at what cost.
pub struct StatusLine {
    line: Line,
    rate: u32,
}

impl StatusLine {
    pub fn new(rate: u32) -> Self {
        Self {
            line: Line::new(ON_TERMINAL),
            rate,
        }
    }

    /// Whether it is time to show it anew.
    pub fn is_due(&self) -> bool {
        self.line.is_due()
    }

    pub fn show(&mut self, status: &Status) {
        self.line.show(&text(status, self.rate));
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        self.line.clear();
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
