//! Ctrl-C: the first ends the recording, the second ends phperf.

use rustix::process::{Pid, Signal, getpgid, getpgrp, kill_process, kill_process_group};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag as flags,
    iterator::Signals,
};
use std::{
    fs, io,
    sync::{Arc, atomic::AtomicBool},
    thread,
};

/// Exit code of a program that Ctrl-C ended, as shells count.
pub const INTERRUPTED: u8 = 130;

/// Ctrl-C, where nothing is kept of what was begun.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: nothing was written")]
pub struct Interrupted;

/// Sets the flag at the first SIGINT, SIGTERM or SIGHUP; at the second ends the process, after saying `kept`.
pub fn flag(kept: String) -> io::Result<Arc<AtomicBool>> {
    flag_telling(move || kept.clone())
}

/// The same, where what is kept changes.
pub fn flag_telling(kept: impl Fn() -> String + Send + 'static) -> io::Result<Arc<AtomicBool>> {
    // `nohup` is for what outlives its terminal.
    if is_ignored(SIGHUP) {
        watch(&[SIGINT, SIGTERM], kept)
    } else {
        watch(&[SIGINT, SIGTERM, SIGHUP], kept)
    }
}

/// The same for what is nothing without its terminal: SIGHUP ends it as it ends any program.
#[cfg(feature = "top")]
pub fn flag_on_terminal(kept: String) -> io::Result<Arc<AtomicBool>> {
    watch(&[SIGINT, SIGTERM], move || kept.clone())
}

fn watch(which: &[i32], kept: impl Fn() -> String + Send + 'static) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // In the handler, and not in the thread below: Ctrl-C ends a child as well, and whoever waits for it has to know why
    // before it goes on with the next.
    for &signal in which {
        flags::register(signal, Arc::clone(&stop))?;
    }
    let mut signals = Signals::new(which)?;
    thread::Builder::new()
        .name("signals".into())
        .stack_size(64 << 10)
        .spawn(move || {
            let mut is_second = false;
            for signal in signals.forever() {
                // The kernel and a shell may both tell of a terminal that is gone.
                if is_second && signal != SIGHUP {
                    end_groups();
                    eprintln!("\nphperf: interrupted twice: stopped at once; {}", kept());
                    std::process::exit(INTERRUPTED.into());
                }
                if signal == SIGTERM {
                    pass_on();
                }
                is_second = true;
            }
        })?;
    Ok(stop)
}

/// Whether whoever started phperf had it ignore a signal.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

/// Tells SIGTERM to the children in phperf's own group: Ctrl-C reaches them without it.
fn pass_on() {
    for pid in children().filter(|&pid| getpgid(Some(pid)) == Ok(getpgrp())) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

/// Ends the children that lead a group of their own, which no terminal tells of Ctrl-C, and what they started.
fn end_groups() {
    for pid in children().filter(|&pid| getpgid(Some(pid)) == Ok(pid)) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

fn children() -> impl Iterator<Item = Pid> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks.flat_map(|task| {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        let pids = children
            .split_whitespace()
            .filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
        pids.collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::{consts::SIGUSR1, low_level::raise};
    use std::sync::atomic::Ordering;

    /// No thread has to run between the signal and whoever looks at the flag.
    #[test]
    fn the_flag_is_set_when_the_signal_is_handled() {
        let stop = watch(&[SIGUSR1], String::new).unwrap();
        assert!(!stop.load(Ordering::Relaxed));
        raise(SIGUSR1).unwrap();
        assert!(stop.load(Ordering::Relaxed));
    }
}
