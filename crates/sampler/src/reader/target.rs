//! One target, at one tick.
//!
//! A reading is true if the target did not run while it was read. Two facts prove it: before, it was on no CPU
//! (it waits, or it is ready and belongs to the very CPU on which this thread runs, which only one can have);
//! afterwards, the scheduler has not put it on a CPU since before that. The same numbers prove that it has not
//! run since the last tick: then its stack is the last one, and nothing is read at all.

use super::{
    crew::Crew,
    ring::Sender,
    schedule::Progress,
    share::Shares,
    sight::{Seen, Sight, Tools},
    tally::{Counters, add},
};
use crate::record::{BLOCKED, RETRIED, SAMPLE, SampleHeader};
use remote::task::{Activity, Scheduled, Task, thread};
use std::sync::{Arc, atomic::Ordering::Relaxed};
use zerocopy::IntoBytes;

/// How often a target is read at one tick, if it moves each time.
const READINGS_MAX: u32 = 3;
/// How often it is handed to the thread of another CPU at one tick.
const MOVES_MAX: u32 = 3;

/// What is to be done with a target after a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It was seen, and is due again at the next tick.
    Stay,
    /// It runs on another CPU, whose thread is to see it at this tick.
    Move(u32),
    /// It ended, or nobody wants to see it any more.
    Leave,
}

/// Where a visit happens.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    /// The CPU on which this thread runs, and will for as long as the visit takes; `None` if it is not pinned.
    pub processor: Option<u32>,
    /// The other threads.
    pub crew: &'a Crew,
}

/// A process whose stacks are taken.
#[derive(Debug)]
pub struct Target {
    task: Task,
    sight: Sight,
    shares: Shares,
    progress: Progress,
    sender: Sender,
    counters: Arc<Counters>,
    last: Seen,
    /// What the scheduler said at the last look, if that was true: and whether the target was ready then.
    proven: Option<(Scheduled, bool)>,
    moves: u32,
}

impl Target {
    pub fn new(task: Task, sight: Sight, sender: Sender, counters: Arc<Counters>, tick: u64) -> Self {
        Self {
            task,
            sight,
            shares: Shares::default(),
            progress: Progress::after(tick),
            sender,
            counters,
            last: Seen::Idle,
            proven: None,
            moves: 0,
        }
    }

    pub const fn is_due(&self, tick: u64) -> bool {
        self.progress.is_due(tick)
    }

    /// Sees the target at `tick`.
    pub fn visit(&mut self, tick: u64, here: Here<'_>, tools: &mut Tools) -> Then {
        if self.counters.detached.load(Relaxed) {
            self.close(tick.saturating_sub(1));
            return Then::Leave;
        }
        let Some(before) = self.task.scheduled() else {
            return self.end(tick);
        };
        let now_ns = thread::now_ns();
        let (scheduled, ready, retried) = match self.proven {
            Some((proven, ready)) if proven == before => {
                add(&self.counters.repeated, 1);
                (before, ready, false)
            }
            _ => match self.look(before, now_ns, here, tools) {
                Ok(looked) => looked,
                Err(Then::Leave) => return self.end(tick),
                Err(then) => return then,
            },
        };
        self.moves = 0;
        let missed = self.progress.take(tick);
        let state = self
            .shares
            .state(ready, scheduled, 1 + missed, here.crew.schedule.period_ns());
        self.count(missed, now_ns);
        self.emit(state, retried, now_ns);
        Then::Stay
    }

    /// Reads the stack: what the scheduler said then, whether the target was ready, and whether it moved.
    fn look(
        &mut self,
        before: Scheduled,
        now_ns: u64,
        here: Here<'_>,
        tools: &mut Tools,
    ) -> Result<(Scheduled, bool, bool), Then> {
        let mut before = before;
        let mut readings = 0;
        self.proven = None;
        loop {
            let status = self.task.status();
            let runs_elsewhere = match status.activity {
                Activity::Ended => return Err(Then::Leave),
                Activity::Waiting => false,
                Activity::Ready => here.processor != Some(status.processor),
            };
            if runs_elsewhere && self.moves < MOVES_MAX && here.crew.is_reachable(status.processor) {
                self.moves += 1;
                add(&self.counters.moves, 1);
                return Err(Then::Move(status.processor));
            }
            self.last = self.sight.look(tools, now_ns, &mut self.sender);
            readings += 1;
            add(&self.counters.reads, tools.window.take_reads());
            let Some(after) = self.task.scheduled() else {
                return Err(Then::Leave);
            };
            if self.last == Seen::Gone {
                return Err(Then::Leave);
            }
            let ready = status.activity == Activity::Ready;
            if after == before && !runs_elsewhere {
                // What could not be announced must be looked at again to be announced later.
                if self.last != Seen::NoRoom {
                    self.proven = Some((after, ready));
                }
                return Ok((after, ready, readings > 1));
            }
            self.sight.doubt();
            if readings == READINGS_MAX {
                return Ok((after, ready, true));
            }
            before = after;
        }
    }

    fn count(&self, missed: u64, now_ns: u64) {
        add(&self.counters.due, 1 + missed);
        add(&self.counters.missed, missed);
        self.counters.last_ns.store(now_ns, Relaxed);
    }

    fn emit(&mut self, state: u8, retried: bool, at_ns: u64) {
        add(&self.counters.retried, u64::from(retried));
        match self.last {
            Seen::Stack => {}
            Seen::NoRoom => return add(&self.counters.lost, 1),
            Seen::Unreadable => return add(&self.counters.unreadable, 1),
            Seen::Idle | Seen::Gone => return add(&self.counters.idle, 1),
        }
        let frames = self.sight.frames();
        let header = SampleHeader {
            kind: SAMPLE,
            state: state.min(BLOCKED),
            flags: self.sight.flags() | if retried { RETRIED } else { 0 },
            pad: 0,
            weight: 1,
            pid: self.task.pid(),
            tid: self.task.pid(),
            at_ns,
            depth: frames.len() as u32,
            pad2: 0,
        };
        let head: [u64; 4] = zerocopy::transmute!(header);
        if self.sender.send(&head, frames.as_bytes()).is_err() {
            add(&self.counters.lost, 1);
        }
    }

    fn end(&self, tick: u64) -> Then {
        self.close(tick.saturating_sub(1));
        self.counters.ended.store(true, Relaxed);
        Then::Leave
    }

    /// Nobody looks any more: the ticks up to and with `tick` that nobody took were missed.
    pub fn close(&self, tick: u64) {
        let left = self.progress.left(tick);
        if left > 0 {
            self.count_left(left);
        }
        self.counters.last_ns.store(thread::now_ns(), Relaxed);
    }

    fn count_left(&self, left: u64) {
        add(&self.counters.due, left);
        add(&self.counters.missed, left);
    }
}
