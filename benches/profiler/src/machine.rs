//! The machine: what it is, and the switches that are turned while it is measured.

pub use common::machine::head;

use std::fs;

const PROGRAM_TIMES: &str = "/proc/sys/kernel/bpf_stats_enabled";

/// Has the kernel count the run time of its programs, and puts the switch back when it is dropped.
#[derive(Debug)]
pub struct ProgramTimes {
    before: Option<String>,
}

impl ProgramTimes {
    /// Turns it on.
    pub fn on() -> Self {
        let before = fs::read_to_string(PROGRAM_TIMES).ok();
        let turned = fs::write(PROGRAM_TIMES, "1").is_ok();
        Self {
            before: before.filter(|_| turned),
        }
    }

    /// Whether the kernel counts.
    pub const fn counted(&self) -> bool {
        self.before.is_some()
    }
}

impl Drop for ProgramTimes {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // Nothing can be done about a failure here, and nothing depends on it.
            let _ = fs::write(PROGRAM_TIMES, before);
        }
    }
}

/// The nanoseconds for which a process (its first thread) has run so far.
pub fn run_time(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    text.split(' ').next()?.parse().ok()
}
