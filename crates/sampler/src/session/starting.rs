//! Processes that have a program and have not come as far as PHP: a binary without symbols shows where its globals are only
//! when it has, and PHP with threads likewise.

use remote::Process;
use std::time::{Duration, Instant};

/// PHP starts in some milliseconds; with many extensions on a busy machine it may take seconds.
const WITHIN: Duration = Duration::from_secs(30);

/// Those that are looked at again.
#[derive(Debug, Default)]
pub struct Starting {
    waiting: Vec<(Process, Instant)>,
    /// Those that are being looked at: whoever comes back keeps its time.
    looked_at: Vec<(Process, Instant)>,
}

impl Starting {
    /// Whether there is any.
    pub const fn any(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub fn add(&mut self, process: Process) {
        if self.waiting.iter().any(|(other, _)| *other == process) {
            return;
        }
        let since = self.looked_at.iter().find(|(other, _)| *other == process);
        let since = since.map_or_else(Instant::now, |(_, since)| *since);
        self.waiting.push((process, since));
    }

    /// All that are still to be waited for, to be added again if they have not started.
    pub fn take(&mut self) -> Vec<Process> {
        self.looked_at = std::mem::take(&mut self.waiting);
        self.looked_at
            .retain(|(process, since)| since.elapsed() < WITHIN && process.is_alive());
        self.looked_at
            .iter()
            .map(|(process, _)| process.clone())
            .collect()
    }
}
