//! Ctrl-C: the first ends the recording, the second ends phperf.

use rustix::process::{Pid, Signal, getpgid, getpgrp, kill_process, kill_process_group};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag as flags,
    low_level::pipe,
};
use std::{
    fs,
    io::{self, Read},
    os::unix::net::UnixStream,
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

/// Sets the flag at the first SIGINT, SIGTERM or SIGHUP; at the second SIGINT or SIGTERM ends the process, after saying
/// `kept`.
pub fn flag(kept: String) -> io::Result<Arc<AtomicBool>> {
    flag_telling(move || kept.clone())
}

/// The same, where what is kept changes.
pub fn flag_telling(kept: impl Fn() -> String + Send + 'static) -> io::Result<Arc<AtomicBool>> {
    let stop = flag_of_interrupts(kept)?;
    // A terminal that goes is told of once and again, by the kernel and by a shell: it never counts as the second.
    // `nohup` is for what outlives its terminal.
    if !is_ignored(SIGHUP) {
        flags::register(SIGHUP, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// The same for what is nothing without its terminal: SIGHUP ends it as it ends any program.
#[cfg(feature = "top")]
pub fn flag_on_terminal(kept: String) -> io::Result<Arc<AtomicBool>> {
    flag_of_interrupts(move || kept.clone())
}

fn flag_of_interrupts(kept: impl Fn() -> String + Send + 'static) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let terminated = Arc::new(AtomicBool::new(false));
    flags::register(SIGTERM, Arc::clone(&terminated))?;
    let arrivals = arrivals(&[SIGINT, SIGTERM], &stop)?;
    thread::Builder::new()
        .name("signals".into())
        .stack_size(64 << 10)
        .spawn(move || act(arrivals, &terminated, kept))?;
    Ok(stop)
}

/// A byte for each signal that comes. Before it can be read, `stop` is set.
///
/// Both are done in the signal's handler, and not in a thread that may come late. Ctrl-C ends a child as well, and whoever
/// waits for it has to know why before it goes on with the next; and two signals before that thread runs are two.
fn arrivals(signals: &[i32], stop: &Arc<AtomicBool>) -> io::Result<UnixStream> {
    let (arrivals, told) = UnixStream::pair()?;
    for &signal in signals {
        flags::register(signal, Arc::clone(stop))?;
        pipe::register(signal, told.try_clone()?)?;
    }
    Ok(arrivals)
}

fn act(mut arrivals: UnixStream, terminated: &AtomicBool, kept: impl Fn() -> String) {
    let mut next = || arrivals.read_exact(&mut [0]).is_ok();
    if !next() {
        return;
    }
    if terminated.load(Ordering::Relaxed) {
        pass_on();
    }
    if next() {
        end_groups();
        eprintln!("\nphperf: interrupted twice: stopped at once; {}", kept());
        std::process::exit(INTERRUPTED.into());
    }
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
    use signal_hook::{
        consts::{SIGUSR1, SIGUSR2},
        low_level::raise,
    };

    /// No thread has to run between the signal and whoever looks at the flag.
    #[test]
    fn the_flag_is_set_when_the_signal_is_handled() {
        let stop = Arc::new(AtomicBool::new(false));
        let _arrivals = arrivals(&[SIGUSR1], &stop).unwrap();
        assert!(!stop.load(Ordering::Relaxed));
        raise(SIGUSR1).unwrap();
        assert!(stop.load(Ordering::Relaxed));
    }

    /// Nor between the first and the second.
    #[test]
    fn two_signals_are_two() {
        let mut arrivals = arrivals(&[SIGUSR2], &Arc::default()).unwrap();
        raise(SIGUSR2).unwrap();
        raise(SIGUSR2).unwrap();
        arrivals.set_nonblocking(true).unwrap();
        let mut told = Vec::new();
        let end = arrivals.read_to_end(&mut told).unwrap_err();
        assert_eq!(end.kind(), io::ErrorKind::WouldBlock);
        assert_eq!(told.len(), 2);
    }
}
