//! Ctrl-C: the first ends the recording, the second ends phperf.

use rustix::process::{Pid, Signal, getpgid, kill_process_group};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};
use std::{
    fs, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Exit code of a program that Ctrl-C ended, as shells count.
pub const INTERRUPTED: u8 = 130;

/// Ctrl-C, where nothing is kept of what was begun.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: nothing was written")]
pub struct Interrupted;

/// Sets the flag at the first SIGINT or SIGTERM; at the second ends the process, after saying `kept`.
pub fn flag(kept: String) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new()
        .name("signals".into())
        .stack_size(64 << 10)
        .spawn(move || {
            for _ in signals.forever() {
                if flag.swap(true, Ordering::Relaxed) {
                    end_groups();
                    eprintln!("\nphperf: interrupted twice: stopped at once; {kept}");
                    std::process::exit(INTERRUPTED.into());
                }
            }
        })?;
    Ok(stop)
}

/// Ends the children that lead a group of their own, which no terminal tells of Ctrl-C, and what they started.
fn end_groups() {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    for task in tasks {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        let pids = children
            .split_whitespace()
            .filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
        for pid in pids.filter(|&pid| getpgid(Some(pid)) == Ok(pid)) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}
