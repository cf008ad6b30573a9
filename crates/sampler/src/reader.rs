//! Stacks of running PHP read from outside, from the CPU on which it runs.
//!
//! While a thread has a CPU, what runs there otherwise cannot move; and what waits cannot move either. So each
//! target is read by a thread pinned to the target's own CPU, which takes its memory in one call, and the
//! scheduler's own counters prove afterwards that it did not run meanwhile. It is neither stopped nor
//! signalled, and nothing is written into it. `docs/decisions/reader.md` has the measurements behind this.

mod alarm;
mod circumstances;
mod crew;
mod functions;
mod peeker;
mod proven;
mod ring;
mod schedule;
mod share;
mod sight;
mod tally;
mod target;
mod window;

pub use tally::ReaderTally;

use crate::{Asked, Peeks, jit, record};
use circumstances::Circumstances;
use crew::Crew;
use remote::{
    Memory, Process,
    task::{Task, residence, thread},
};
use ring::{Bell, Receiver};
use schedule::Schedule;
use sight::Sight;
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tally::Counters;
use target::Target;
use zend::Interpreter;

/// The rings hold what comes in this time, drained when half full: long enough to drain rarely.
const RING_TIME: Duration = Duration::from_millis(250);
/// A sample of 20 frames, with a few names.
const SAMPLE_USUAL: u64 = 384;
/// The ring of one target, at most.
const RING_MAX: u64 = 512 << 10;

/// Nobody samples once a day.
const PERIOD_MAX: Duration = Duration::from_secs(86_400);

/// How stacks are to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderSettings {
    /// The time between two samples of one target.
    pub period: Duration,
    /// How many frames a sample may have; the outermost beyond are cut.
    pub max_depth: u16,
    /// What is read besides each stack.
    pub asked: Asked,
    /// What is looked into beside the stacks.
    pub peeks: Peeks,
}

/// Why the reader cannot look at a target.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A period of nothing.
    #[error("the sampling period is 0: choose a rate of at least 1 Hz and at most 1 MHz")]
    NoPeriod,
    /// It is looked at already.
    #[error("process {0} is sampled already: name it once")]
    Twice(u32),
    /// What belongs to the thread cannot be found.
    #[error("thread {0} cannot be looked into: its C library is neither glibc nor musl, or it ended")]
    NoThreadPointer(u32),
    /// It cannot be seen.
    #[error(transparent)]
    Process(#[from] remote::Error),
    /// Its memory cannot be read.
    #[error(transparent)]
    Memory(#[from] remote::ReadError),
    /// The system refused a thread.
    #[error(
        "cannot start a sampling thread: raise the limits of processes and open files (`ulimit -u`, `ulimit -n`)"
    )]
    NoThread,
}

/// Takes stacks of any number of processes, one tick for all.
#[derive(Debug)]
pub struct Reader {
    crew: Arc<Crew>,
    peeks: Peeks,
    bell: Arc<Bell>,
    asked: Asked,
    ring_bytes: usize,
    attached: Vec<Attached>,
    /// Those that were attached before [`Reader::begin`], with their CPUs; `None` after it.
    early: Option<Vec<(u32, Box<Target>)>>,
}

#[derive(Debug)]
struct Attached {
    pid: u32,
    counters: Arc<Counters>,
    /// None once it has left and all is drained.
    receiver: Option<Receiver>,
    counts_waiting: bool,
}

impl Attached {
    fn has_left(&self) -> bool {
        self.counters.ended.load(Ordering::Relaxed) || self.counters.detached.load(Ordering::Relaxed)
    }
}

impl Reader {
    /// Starts the schedule. The threads start with the targets.
    pub fn start(settings: ReaderSettings) -> Result<Self, Error> {
        let period_ns = settings.period.min(PERIOD_MAX).as_nanos() as u64;
        if period_ns == 0 {
            return Err(Error::NoPeriod);
        }
        let mut longest =
            size_of::<record::SampleHeader>() + usize::from(settings.max_depth) * size_of::<record::Frame>();
        if !settings.peeks.is_empty() {
            longest += peeker::BYTES_MAX;
        }
        let samples = RING_TIME.as_nanos() as u64 / period_ns;
        let usual = samples.saturating_mul(SAMPLE_USUAL).min(RING_MAX) as usize;
        Ok(Self {
            crew: Crew::new(Schedule::new(thread::now_ns(), period_ns), settings.max_depth),
            peeks: settings.peeks,
            bell: Arc::default(),
            asked: settings.asked,
            // Whatever the rate: one of the longest samples while the one before is drained, and names. Every
            // byte of it will be in use some time, so that 64 targets have 64 times as much.
            ring_bytes: usual.max(2 * longest).max(8 << 10),
            attached: Vec::new(),
            early: Some(Vec::new()),
        })
    }

    /// Takes stacks of a process, or of a thread of a PHP with threads, from its next tick on, or from [`Reader::begin`] on.
    pub fn attach(&mut self, process: &Process, interpreter: &Interpreter) -> Result<(), Error> {
        let pid = process.pid();
        if self
            .attached
            .iter()
            .any(|attached| attached.pid == pid && !attached.has_left())
        {
            return Err(Error::Twice(pid));
        }
        let task = Task::open(pid)?;
        let thread = interpreter
            .threads
            .map(|threads| Ok((threads, threads.slot_of(process)?)))
            .transpose()
            .map_err(|_: zend::Error| Error::NoThreadPointer(pid))?;
        let residence = if thread.is_some() {
            None
        } else {
            residence(process)
        };
        let counts_waiting = task.counts_waiting();
        process.memory().read_u64(interpreter.executor_globals)?;
        let (sender, receiver) = ring::ring(self.ring_bytes, self.bell.clone());
        let counters = Arc::new(Counters::default());
        counters.note_jit(process);
        let processor = task.status().processor;
        let target = Box::new(Target::new(
            process.group(),
            task,
            Sight::new(
                process,
                self.attached.len() as u32,
                interpreter,
                thread,
                residence,
                Circumstances::new(process, interpreter, self.asked),
                &self.peeks,
            ),
            sender,
            counters.clone(),
        ));
        match &mut self.early {
            Some(early) => early.push((processor, target)),
            None => self.set_to_work(processor, target, thread::now_ns())?,
        }
        self.attached.push(Attached {
            pid,
            counters,
            receiver: Some(receiver),
            counts_waiting,
        });
        Ok(())
    }

    /// Starts with all that are attached at once: at the first tick after `from_ns` (`CLOCK_MONOTONIC`). No tick after
    /// `until_ns` is due, however late [`Reader::stop`] comes.
    pub fn begin(&mut self, from_ns: u64, until_ns: Option<u64>) -> Result<(), Error> {
        if let Some(until_ns) = until_ns {
            self.crew.end_at(until_ns);
        }
        for (processor, target) in self.early.take().unwrap_or_default() {
            self.set_to_work(processor, target, from_ns)?;
        }
        Ok(())
    }

    fn set_to_work(&self, processor: u32, mut target: Box<Target>, from_ns: u64) -> Result<(), Error> {
        target.begin(self.crew.schedule.tick_at(from_ns), from_ns);
        self.crew
            .hand_over(processor, target)
            .map_err(|_| Error::NoThread)
    }

    /// Looks again whether the targets have JIT code: one that just started had not made room for it yet.
    pub fn refresh(&self) {
        for attached in &self.attached {
            if let Ok(process) = Process::open(attached.pid)
                && jit::may_come(&process)
            {
                attached.counters.note_jit(&process);
            }
        }
    }

    /// Takes no more stacks of process `pid`. What was taken can still be drained.
    pub fn detach(&mut self, pid: u32) {
        for attached in self.attached.iter().filter(|attached| attached.pid == pid) {
            attached.counters.detached.store(true, Ordering::Relaxed);
        }
    }

    /// Waits until there is much to drain, at most for `timeout`: 100 ms is soon enough.
    pub fn wait(&self, timeout: Duration) {
        self.bell.wait(timeout);
    }

    /// Hands out the records that came since this was done last, each whole: see [`crate::record`]. Those of
    /// one target are in order.
    pub fn drain(&mut self, each: &mut dyn FnMut(&[u8])) {
        for attached in &mut self.attached {
            if let Some(receiver) = &mut attached.receiver {
                let is_last = receiver.is_abandoned();
                receiver.drain(each);
                if is_last {
                    attached.receiver = None;
                }
            }
        }
    }

    /// What became of the ticks so far, target by target in the order in which they were attached.
    pub fn tallies(&self) -> Vec<ReaderTally> {
        self.attached
            .iter()
            .map(|attached| attached.counters.tally(attached.pid))
            .collect()
    }

    /// What the user should know of how the samples were taken, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.crew.unprivileged.load(Ordering::Relaxed) > 0 {
            notes.push(
                "sampled without real-time priority: on a busy machine ticks come late and some are missed; \
                 CAP_SYS_NICE or root allows it"
                    .into(),
            );
        }
        if self.crew.is_confined() {
            notes.push(
                "this process may not use all CPUs: a target that runs on another one is read while it moves, \
                 and such stacks may be torn (they count as retried); run where the target runs, in the same \
                 cpuset"
                    .into(),
            );
        }
        if self.attached.iter().any(|attached| !attached.counts_waiting) {
            notes.push(
                "this kernel has no schedstat (CONFIG_SCHED_INFO): time in which a target was ready and had \
                 no CPU counts as on CPU"
                    .into(),
            );
        }
        notes
    }

    /// Takes no more stacks. What was taken can still be drained, and the tallies are final.
    pub fn stop(&mut self) {
        self.crew.stop();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop();
    }
}
