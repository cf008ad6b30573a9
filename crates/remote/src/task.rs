//! Cheap facts of one task, several a tick: files that stay open, a few hundred nanoseconds to 3 µs each.

mod gather;
mod residence;
pub mod thread;

pub use gather::{PARTS_MAX, Part, gather};
pub use residence::residence;

use crate::{Error, procfs};
use std::{fs::File, io, os::unix::fs::FileExt};

/// What a task is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It runs, or waits for nothing but a CPU.
    Ready,
    /// It waits for something, or is stopped.
    Waiting,
    /// It ended.
    Ended,
}

/// What a task is up to, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// What it is up to.
    pub activity: Activity,
    /// The CPU on which it runs, or ran last.
    pub processor: u32,
    /// Whether it is the only thread of its process.
    pub is_alone: bool,
}

/// What a task got from the scheduler since it started.
///
/// For a task that is on no CPU these are exact, and any two readings are equal if and only if it was on none
/// in between. For a task that runs they are as old as the last scheduler tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// Time on a CPU.
    pub run_ns: u64,
    /// Time for which it was ready and waited for a CPU, up to when it last got one.
    pub wait_ns: u64,
    /// How often it was put on a CPU.
    pub times: u64,
}

/// A task whose scheduling is watched.
#[derive(Debug)]
pub struct Task {
    pid: u32,
    stat: File,
    /// Absent in kernels without `CONFIG_SCHED_INFO`.
    schedstat: Option<File>,
}

impl Task {
    /// The main thread of process `pid`.
    pub fn open(pid: u32) -> Result<Self, Error> {
        Self::open_thread(pid, pid)
    }

    /// Thread `tid` of process `pid`.
    pub fn open_thread(pid: u32, tid: u32) -> Result<Self, Error> {
        let open = |file: &str| File::open(format!("/proc/{pid}/task/{tid}/{file}"));
        let stat = open("stat").map_err(|error| match procfs::explain(error, pid, 0, "stat") {
            Error::Gone(pid) => Error::NoSuchProcess(pid),
            other => other,
        })?;
        let schedstat = open("schedstat").ok().filter(|file| {
            let mut bytes = [0; 96];
            let read = file.read_at(&mut bytes, 0).unwrap_or(0);
            parse_schedstat(&bytes[..read]).is_some_and(|scheduled| scheduled.times > 0)
        });
        Ok(Self { pid, stat, schedstat })
    }

    /// The process.
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether the kernel says for how long the task waited for a CPU, and how often it got one.
    pub const fn counts_waiting(&self) -> bool {
        self.schedstat.is_some()
    }

    /// What it is up to, and where: 3 µs. A task that cannot be found any more has ended.
    pub fn status(&self) -> Status {
        const ENDED: Status = Status {
            activity: Activity::Ended,
            processor: 0,
            is_alone: false,
        };
        // Field 39 of 52 is needed, and each has at most 21 bytes.
        let mut bytes = [0; 1024];
        let read = self.stat.read_at(&mut bytes, 0).unwrap_or(0);
        parse_stat(&bytes[..read]).unwrap_or(ENDED)
    }

    /// The CPU time of all threads of its process: .4 µs. For a thread that runs this is as old as the last scheduler
    /// tick; for one that does not it is exact. `None` if it has ended and was reaped.
    pub fn cpu_ns(&self) -> Option<u64> {
        thread::process_cpu_ns(self.pid)
    }

    /// What it got from the scheduler: 1 µs. `None` if it has ended and was reaped.
    pub fn scheduled(&self) -> Option<Scheduled> {
        let Some(file) = &self.schedstat else {
            return Some(Scheduled {
                run_ns: self.cpu_ns()?,
                ..Scheduled::default()
            });
        };
        let mut bytes = [0; 96];
        loop {
            match file.read_at(&mut bytes, 0) {
                Ok(read) => return parse_schedstat(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }
}

/// The command comes second, in parentheses, and may itself hold anything: the last one closes it.
fn parse_stat(bytes: &[u8]) -> Option<Status> {
    let close = memchr::memrchr(b')', bytes)?;
    let mut fields = bytes.get(close + 2..)?.split(|&byte| byte == b' ');
    let activity = match fields.next()? {
        b"R" => Activity::Ready,
        b"Z" | b"X" | b"x" => Activity::Ended,
        [_] => Activity::Waiting,
        _ => return None,
    };
    // The state is field 3 of the file, the number of threads field 20, the processor field 39.
    Some(Status {
        activity,
        is_alone: fields.nth(16)? == b"1",
        processor: number(fields.nth(18)?)?.try_into().ok()?,
    })
}

fn parse_schedstat(bytes: &[u8]) -> Option<Scheduled> {
    let mut fields = bytes
        .strip_suffix(b"\n")
        .unwrap_or(bytes)
        .split(|&byte| byte == b' ');
    Some(Scheduled {
        run_ns: number(fields.next()?)?,
        wait_ns: number(fields.next()?)?,
        times: number(fields.next()?)?,
    })
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stat(command: &str, state: char, processor: &str) -> Vec<u8> {
        let between = "1 ".repeat(35);
        format!("42 ({command}) {state} {between}{processor} 0 0 0 0 0\n").into_bytes()
    }

    #[test]
    fn the_command_may_look_like_the_rest_of_the_line() {
        for command in ["php", "a) R 1 (", ") Z 9 9 9", "(", "", "x\n) S 2"] {
            let parsed = parse_stat(&stat(command, 'S', "63")).unwrap();
            assert_eq!(parsed.activity, Activity::Waiting, "{command}");
            assert_eq!(parsed.processor, 63, "{command}");
            assert!(parsed.is_alone, "{command}");
        }
    }

    #[test]
    fn threads_are_counted() {
        let line = String::from_utf8(stat("php", 'S', "0")).unwrap();
        let (before, after) = line.split_at(line.find("S ").unwrap() + 2);
        let two = format!("{before}{}2 {}", "1 ".repeat(16), &after[17 * 2..]);
        assert!(!parse_stat(two.as_bytes()).unwrap().is_alone);
    }

    #[test]
    fn states_are_told_apart() {
        let activity = |state| parse_stat(&stat("php", state, "0")).unwrap().activity;
        assert_eq!(activity('R'), Activity::Ready);
        for waiting in ['S', 'D', 'T', 't', 'I', 'P'] {
            assert_eq!(activity(waiting), Activity::Waiting);
        }
        for ended in ['Z', 'X', 'x'] {
            assert_eq!(activity(ended), Activity::Ended);
        }
    }

    #[test]
    fn schedstat_has_three_numbers() {
        let expected = Scheduled {
            run_ns: 12,
            wait_ns: 34,
            times: 5,
        };
        assert_eq!(parse_schedstat(b"12 34 5\n"), Some(expected));
        for nonsense in [
            "",
            "12",
            "12 34\n",
            "12 -3 5\n",
            "a b c\n",
            "99999999999999999999 1 1\n",
        ] {
            assert_eq!(parse_schedstat(nonsense.as_bytes()), None, "{nonsense:?}");
        }
    }

    #[test]
    fn sees_itself() {
        let task = Task::open(std::process::id()).unwrap();
        assert_ne!(task.status().activity, Activity::Ended);
        assert!(task.scheduled().unwrap().run_ns > 0);
    }

    #[test]
    fn no_such_process() {
        assert!(matches!(
            Task::open(1 << 23),
            Err(Error::NoSuchProcess(8_388_608))
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_stat(&bytes);
            let _ = parse_schedstat(&bytes);
        }
    }
}
