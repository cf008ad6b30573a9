//! Instructions as the CPU counts them, through `perf_event_open`: those of the measured loop alone.

use super::way::Runs;
use crate::run::{
    source::{Pass, Source},
    trouble::Trouble,
    variant::Bench,
};
use perf_event::{
    Builder,
    events::{Event, Hardware as Kind},
};
use std::{io, path::PathBuf, time::Duration};

/// A counter of the kernel's.
#[derive(Clone, Debug)]
pub(in super::super) struct Hardware {
    event: Event,
    difference: i64,
}

impl Hardware {
    /// The counter of instructions; why there is none.
    pub(super) fn instructions() -> Result<Self, String> {
        // An interrupt or a fault is counted as an instruction by some CPUs: there are a few in a run of some milliseconds.
        let hardware = Self::new(Kind::INSTRUCTIONS.into(), 50_000_000);
        hardware.is_there()?;
        Ok(hardware)
    }

    /// A counter of any event; the difference of two runs has to be so many of them.
    pub(super) const fn new(event: Event, difference: i64) -> Self {
        Self { event, difference }
    }

    pub(super) const fn difference(&self) -> i64 {
        self.difference
    }

    /// Whether it counts: some virtual machines open it, and it stays at 0.
    fn is_there(&self) -> Result<(), String> {
        let mut counter = self.open(None)?;
        if read(&mut counter)? == 0 {
            return Err("this machine's counter stands still, as in virtual machines without one".into());
        }
        Ok(())
    }

    /// Counts what a process does in user space from now on; itself, without a number.
    fn open(&self, pid: Option<u32>) -> Result<perf_event::Counter, String> {
        let builder = Builder::new().kind(self.event.clone());
        let builder = match pid.map(i32::try_from) {
            None => builder.observe_self(),
            Some(Ok(pid)) => builder.observe_pid(pid),
            Some(Err(_)) => return Err("no process has such a number".into()),
        };
        // Pinned: where another user has the CPU's counters it fails, instead of counting some of the time.
        let mut builder = builder.any_cpu();
        builder
            .pinned(true)
            .exclude_kernel(true)
            .exclude_hv(true)
            .inherit(false)
            .enabled(true);
        builder.build().map_err(|error| why(&error))
    }

    /// Runs of `script`, to be counted.
    pub(super) fn runs<'a>(
        &self,
        bench: &Bench<'a>,
        script: PathBuf,
        timeout: Duration,
    ) -> Result<Loops<'a>, Trouble> {
        let source = Source::new(
            bench.launcher,
            bench.scratch,
            script,
            bench.fork,
            timeout,
            bench.stop,
        )?;
        Ok(Loops {
            hardware: self.clone(),
            source,
        })
    }
}

/// Loops of one script.
pub(super) struct Loops<'a> {
    hardware: Hardware,
    source: Source<'a>,
}

impl Runs for Loops<'_> {
    fn count(&mut self, revolutions: u64, warmup: u64) -> Result<i64, Trouble> {
        let mut counter = None;
        let mut total = None;
        let hardware = &self.hardware;
        self.source.gated(revolutions, warmup, &mut |pass| {
            // The iteration waits meanwhile: what it does to begin and to end waiting is the same in each run.
            match pass {
                Pass::Begin(pid) => counter = Some(hardware.open(Some(pid))?),
                Pass::End => total = counter.as_mut().map(read).transpose()?,
            }
            Ok(())
        })?;
        total
            .and_then(|count| i64::try_from(count).ok())
            .ok_or_else(|| Trouble::subject("its loop was not counted from its beginning to its end"))
    }
}

fn read(counter: &mut perf_event::Counter) -> Result<u64, String> {
    match counter.read_count_and_time() {
        Ok(read) if read.time_running == read.time_enabled => Ok(read.count),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(why(&error)),
        // On CPUs of two kinds each has counters of its own.
        _ => Err("something else had this CPU's counters, or it went on on a CPU of another kind".into()),
    }
}

/// Why the kernel gives no counter, and what helps.
fn why(error: &io::Error) -> String {
    match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::NOENT | rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NODEV) => {
            "this machine has no counter of instructions, as many virtual machines have none".into()
        }
        Some(rustix::io::Errno::ACCESS | rustix::io::Errno::PERM) => {
            "the kernel does not allow it: set kernel.perf_event_paranoid to 2 or less, or run as root outside of a \
             container"
                .into()
        }
        Some(rustix::io::Errno::NOSYS) => "this kernel has no perf_event_open".into(),
        _ => format!("perf_event_open: {error}"),
    }
}
