//! Runs a profiler to its end, and takes what can only be seen of it while it lives.

use anyhow::{Context, Result, bail};
use nix::{
    libc,
    sys::{
        ptrace,
        resource::{UsageWho, getrusage},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};
use std::{
    collections::HashMap,
    fs,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

const LOOK_EVERY: Duration = Duration::from_millis(5);
/// The kernel's counters of its programs are read this often: they cannot be read any more at the very end.
const PROGRAMS_EVERY: Duration = Duration::from_millis(200);
/// How much longer than its window a profiler may take.
const GRACE: Duration = Duration::from_secs(30);

/// What a profiler used.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// CPU time in user space and in the kernel, children included.
    pub cpu: Duration,
    /// From its start to its end.
    pub wall: Duration,
    /// Its peak of resident memory, in bytes, read when it was about to end.
    pub peak: u64,
    /// Resident and anonymous memory in the middle of the window, in bytes.
    pub middle: (u64, u64),
    /// Run time of the kernel programs that it held open, when they were last seen.
    pub programs: Duration,
}

/// Starts a command, and waits for its end.
pub fn run(mut command: Command, window: Duration) -> Result<End> {
    let before = cpu_of_children()?;
    let start = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let watch = Watch {
        pid: Pid::from_raw(child.id().cast_signed()),
        child,
        start,
        window,
    };
    let mut end = watch.until_the_end()?;
    end.wall = start.elapsed();
    // Nothing else is waited for in between, so that the difference is this child and its own children.
    end.cpu = cpu_of_children()?.saturating_sub(before);
    Ok(end)
}

struct Watch {
    child: Child,
    pid: Pid,
    start: Instant,
    window: Duration,
}

impl Watch {
    fn until_the_end(mut self) -> Result<End> {
        // Traced for one event only: the stop before its memory goes. It runs free until then. One that has
        // ended already, with an error as a rule, cannot be traced; nor can any where tracing is forbidden.
        let traced = ptrace::seize(self.pid, ptrace::Options::PTRACE_O_TRACEEXIT).is_ok();
        let mut end = End::default();
        let mut programs_due = PROGRAMS_EVERY;
        loop {
            let elapsed = self.start.elapsed();
            match waitpid(self.pid, Some(WaitPidFlag::WNOHANG))? {
                WaitStatus::StillAlive => {
                    if elapsed > self.window + GRACE {
                        self.child.kill()?;
                        bail!(
                            "it did not end by itself and was killed after {} s",
                            elapsed.as_secs()
                        );
                    }
                    if elapsed > programs_due {
                        programs_due = elapsed + PROGRAMS_EVERY;
                        end.programs = end.programs.max(programs(self.child.id()));
                    }
                    if end.middle.0 == 0 && elapsed > self.window / 2 {
                        end.middle = self.middle();
                    }
                    if !traced {
                        end.peak = end.peak.max(self.peak());
                    }
                    thread::sleep(LOOK_EVERY);
                }
                WaitStatus::PtraceEvent(_, _, libc::PTRACE_EVENT_EXIT) => {
                    end.peak = self.peak();
                    end.programs = end.programs.max(programs(self.child.id()));
                    ptrace::cont(self.pid, None)?;
                }
                WaitStatus::PtraceEvent(..) => ptrace::cont(self.pid, None)?,
                WaitStatus::Stopped(_, signal) => ptrace::cont(self.pid, signal)?,
                WaitStatus::Exited(_, code) => {
                    end.code = Some(code);
                    return Ok(end);
                }
                WaitStatus::Signaled(..) => return Ok(end),
                _ => {}
            }
        }
    }

    fn proc(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.pid)).unwrap_or_default()
    }

    fn peak(&self) -> u64 {
        kilobytes(&self.proc("status"), "VmHWM:")
    }

    fn middle(&self) -> (u64, u64) {
        let rollup = self.proc("smaps_rollup");
        (kilobytes(&rollup, "Rss:"), kilobytes(&rollup, "Anonymous:"))
    }
}

/// The run time so far of the kernel programs that a process holds open.
pub fn programs(pid: u32) -> Duration {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fdinfo")) else {
        return Duration::ZERO;
    };
    let texts = entries.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
    let by_id: HashMap<u64, u64> = texts
        .filter_map(|text| Some((number(&text, "prog_id:")?, number(&text, "run_time_ns:")?)))
        .collect();
    Duration::from_nanos(by_id.values().sum())
}

/// The number after `name` at the start of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(name))?
        .split_ascii_whitespace()
        .next()?
        .parse()
        .ok()
}

fn kilobytes(text: &str, name: &str) -> u64 {
    number(text, name).unwrap_or(0) * 1024
}

fn cpu_of_children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = |time: nix::sys::time::TimeVal| (time.tv_sec() * 1_000_000 + time.tv_usec()) as u64;
    Ok(Duration::from_micros(
        micros(usage.user_time()) + micros(usage.system_time()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_child_used_is_seen() {
        let mut command = Command::new("sh");
        command.args(["-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 3"]);
        let end = run(command, Duration::ZERO).unwrap();
        assert_eq!(end.code, Some(3));
        assert!(end.cpu > Duration::from_millis(1));
        assert!((100_000..10_000_000).contains(&end.peak), "{}", end.peak);
        assert!(end.middle.0 > 0);
    }

    #[test]
    fn numbers_are_found_by_their_names() {
        let text = "prog_type:\t7\nprog_id:\t12\nrun_time_ns:\t345\nVmHWM:\t  2048 kB\n";
        assert_eq!(number(text, "prog_id:"), Some(12));
        assert_eq!(kilobytes(text, "VmHWM:"), 2 * 1024 * 1024);
        assert_eq!(number(text, "none:"), None);
    }
}
