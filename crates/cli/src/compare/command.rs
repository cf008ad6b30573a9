//! A command that is run once for each figure.

use super::{callgrind::Callgrind, running::Running};
use crate::args::{self, Metric};
use anyhow::{Context, Result};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::process::ExitStatusExt,
    process::{Command, ExitStatus, Stdio},
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};
use trial::{Measured, Subject};
use wait4::ResUse;

/// Of what a failed command says, so much is looked at.
const SAID: u64 = 64 << 10;

/// A command, and what is measured of it.
pub struct Runner<'a> {
    words: Vec<OsString>,
    metric: Metric,
    least_of: u16,
    prepare: Option<String>,
    ignore_failure: bool,
    callgrind: Option<Callgrind>,
    errors: File,
    /// Runs that failed and were measured all the same.
    pub failed: usize,
    floor: u64,
    lowest: u64,
    stop: &'a AtomicBool,
}

impl<'a> Runner<'a> {
    /// A command that `stop` ends.
    pub fn new(words: Vec<OsString>, asked: &args::Compare, stop: &'a AtomicBool) -> Result<Self> {
        let callgrind = match asked.metric {
            Metric::Instructions => Some(Callgrind::new()?),
            _ => None,
        };
        Ok(Self {
            words,
            metric: asked.metric,
            least_of: asked.least_of,
            prepare: asked.prepare.clone(),
            ignore_failure: asked.ignore_failure,
            callgrind,
            errors: tempfile::tempfile().context("cannot make a temporary file")?,
            failed: 0,
            floor: 0,
            lowest: u64::MAX,
            stop,
        })
    }

    /// Whether what was measured as the most memory may be phperf's own: a process starts as a copy of it. The kernel's
    /// count is a few pages behind.
    pub fn is_at_floor(&self) -> bool {
        self.lowest <= self.floor + self.floor / 8
    }

    fn command(&self) -> Command {
        let mut words = self.words.iter();
        let program = words.next().expect("a command is never empty");
        let mut command = match &self.callgrind {
            Some(callgrind) => callgrind.over(program),
            None => Command::new(program),
        };
        command.args(words);
        command
    }

    /// The figure of one run.
    fn figure(&mut self) -> Measured {
        if self.metric == Metric::MaxRss {
            self.floor = own_peak();
        }
        let (end, wall) = self.run()?;
        let usage = end.rusage;
        Ok(match self.metric {
            Metric::Wall => wall.as_nanos() as f64,
            Metric::Cpu => (usage.utime + usage.stime).as_nanos() as f64,
            Metric::User => usage.utime.as_nanos() as f64,
            Metric::MaxRss => {
                self.lowest = self.lowest.min(usage.maxrss);
                usage.maxrss as f64
            }
            Metric::Instructions => match &mut self.callgrind {
                Some(callgrind) => callgrind.counted()? as f64,
                None => unreachable!("it is made where instructions are asked for"),
            },
        })
    }

    fn run(&mut self) -> Result<(ResUse, Duration), String> {
        self.prepare()?;
        let started = Instant::now();
        let end = self.start()?.wait();
        let wall = started.elapsed();
        Ok((self.judged(end)?, wall))
    }

    /// Runs the line that is to be run before each measurement.
    pub(super) fn prepare(&mut self) -> Result<(), String> {
        let Some(line) = &self.prepare else { return Ok(()) };
        let mut prepare = Command::new("sh");
        prepare.args(["-c", line]);
        let end = self
            .spawn(prepare)
            .and_then(|mut running| running.wait())
            .map_err(|error| format!("--prepare: cannot start sh: {error}"))?;
        failure(end.status).map_or(Ok(()), |how| Err(format!("--prepare {how}{}", self.said())))
    }

    /// Starts the command.
    pub(super) fn start(&self) -> Result<Running<'a>, String> {
        self.spawn(self.command())
            .map_err(|error| format!("{} cannot be started: {error}", self.program()))
    }

    /// Whether a run counts.
    pub(super) fn judged(&mut self, end: io::Result<ResUse>) -> Result<ResUse, String> {
        let program = self.program();
        let end = end.map_err(|error| format!("{program} cannot be waited for: {error}"))?;
        if let Some(how) = failure(end.status) {
            if !self.ignore_failure {
                return Err(format!(
                    "{program} {how}{}; --ignore-failure measures it all the same",
                    self.said()
                ));
            }
            self.failed += 1;
        }
        Ok(end)
    }

    fn program(&self) -> String {
        self.words[0].to_string_lossy().into_owned()
    }

    fn spawn(&self, mut command: Command) -> io::Result<Running<'a>> {
        self.errors.set_len(0)?;
        let mut errors = self.errors.try_clone()?;
        errors.seek(SeekFrom::Start(0))?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        Running::start(&mut command, self.stop)
    }

    /// The last line of the standard error, for a message.
    fn said(&self) -> String {
        let mut text = Vec::new();
        let mut errors = &self.errors;
        let read = errors
            .seek(SeekFrom::Start(0))
            .and_then(|_| errors.take(SAID).read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        match (read, text.lines().rfind(|line| !line.trim().is_empty())) {
            (Ok(_), Some(line)) => format!(": {}", line.trim()),
            _ => " and said nothing on its standard error".to_owned(),
        }
    }
}

impl Subject for Runner<'_> {
    fn measure(&mut self) -> Measured {
        let mut least = f64::INFINITY;
        for _ in 0..self.least_of {
            least = least.min(self.figure()?);
        }
        Ok(least)
    }
}

/// How it failed; `None` if it did not.
fn failure(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("ended with {code}")),
        (None, signal) => Some(format!("was ended by signal {}", signal.unwrap_or(0))),
    }
}

/// The most memory that phperf itself held, in bytes; 0 where /proc does not say.
fn own_peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .trim()
                .strip_suffix(" kB")?
                .parse::<u64>()
                .ok()
        })
        .unwrap_or(0)
        * 1024
}
