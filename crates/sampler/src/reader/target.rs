//! One target, at one tick.
//!
//! A reading is true if the target did not run while it was read. Two facts prove it: before, it was on no CPU
//! (it waits, or it is ready and belongs to the very CPU on which this thread runs, which only one can have);
//! afterwards, the scheduler has not put it on a CPU since before that. The same numbers prove that it has not
//! run since the last tick: then its stack is the last one, and nothing is read at all.
//!
//! Where the target's C library has the kernel keep the number of the CPU (see `remote::task::residence`), one
//! fact will do for a target that is busy: this thread was not taken off its CPU, and at the end of the reading
//! the target had run last on that CPU. It cannot have run there meanwhile, and not elsewhere without the
//! number having changed. That it is busy is what its CPU clock says.

use super::{
    crew::Crew,
    proven::{Proven, RanOn},
    ring::Sender,
    schedule::Progress,
    share::Shares,
    sight::{Seen, Sight, Tools},
    tally::{Counters, add},
};
use crate::record::{BLOCKED, NATIVE_UNKNOWN, RETRIED, RUNNABLE, SAMPLE, SampleHeader, VALUES};
use remote::task::{Activity, Scheduled, Task, thread};
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

/// How often a target is read at one tick, if it moves each time.
const READINGS_MAX: u32 = 3;
/// How often in a row it is found waiting on another CPU until it is handed to the thread there.
const ELSEWHERE_MAX: u32 = 4;
/// How often it is handed to the thread of another CPU at one tick.
const MOVES_MAX: u32 = 3;

/// For how long the target is left alone when it is seen in the middle of a step.
const MOMENT: Duration = Duration::from_micros(2);
/// For how long samples of a target that waits for a CPU are held back, to be told as one.
const HELD_NS: u64 = 250_000_000;
/// After so many contradictions in a row, nothing more is asked.
const CONTRADICTIONS_MAX: u32 = 8;

/// What is to be done with a target after a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It was seen, and is due again at the next tick.
    Stay,
    /// The thread of another CPU is to see it from now on: at this tick still, if it was not seen yet.
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
    /// The process that the task belongs to.
    group: u32,
    task: Task,
    sight: Sight,
    shares: Shares,
    progress: Progress,
    sender: Sender,
    counters: Arc<Counters>,
    last: Seen,
    /// The ticks since, at which it waited for a CPU.
    held: Option<Held>,
    /// The last look, if it was true.
    proven: Option<Proven>,
    moves: u32,
    /// Where it was found waiting, other than here, and how often in a row.
    elsewhere: (u32, u32),
    /// How often in a row what is said of the CPU was not what `/proc` says.
    contradictions: u32,
}

/// Ticks that found a target as the last look did, still waiting for a CPU.
#[derive(Clone, Copy, Debug)]
struct Held {
    ticks: u64,
    since_ns: u64,
    /// The last of them.
    when: When,
}

/// When a target was seen.
#[derive(Clone, Copy, Debug)]
struct When {
    at_ns: u64,
    /// When the look was over.
    until_ns: u64,
}

/// What a look at a target told.
#[derive(Clone, Copy, Debug)]
struct View {
    /// Whether the target was ready to run.
    ready: bool,
    /// Whether it was read more than once.
    retried: bool,
    /// Whether it is proven that it stood still while it was read.
    proven: bool,
    since: Since,
}

/// What the target did since the last look.
#[derive(Clone, Copy, Debug)]
enum Since {
    /// It has not run.
    Unmoved,
    /// It ran on.
    Ran(RanOn),
    /// Anything, after which the scheduler said this.
    Moved(Scheduled),
}

impl View {
    const fn moved(scheduled: Scheduled, ready: bool, retried: bool, proven: bool) -> Self {
        Self {
            ready,
            retried,
            proven,
            since: Since::Moved(scheduled),
        }
    }
}

impl Target {
    pub fn new(group: u32, task: Task, sight: Sight, sender: Sender, counters: Arc<Counters>) -> Self {
        Self {
            group,
            task,
            sight,
            shares: Shares::default(),
            progress: Progress::after(0),
            sender,
            counters,
            last: Seen::Idle,
            held: None,
            proven: None,
            moves: 0,
            elsewhere: (0, 0),
            contradictions: 0,
        }
    }

    /// It is due from the tick after `tick` on.
    pub fn begin(&mut self, tick: u64, at_ns: u64) {
        self.progress = Progress::after(tick);
        self.counters.first_ns.store(at_ns, Relaxed);
        self.counters.last_ns.store(at_ns, Relaxed);
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
        self.sight.set_has_jit(self.counters.has_jit.load(Relaxed));
        let now_ns = thread::now_ns();
        let view = match self.observe(now_ns, here, tools) {
            Ok(view) => view,
            Err(Then::Leave) => return self.end(tick),
            Err(then) => return then,
        };
        self.moves = 0;
        let late = self.progress.take(tick);
        let (periods, period_ns) = (1 + late, here.crew.schedule.period_ns());
        let (state, missed) = match view.since {
            // It would have been seen like this at each tick since the last look.
            Since::Unmoved => (self.shares.unmoved(view.ready, periods, period_ns), 0),
            Since::Ran(ran) => (self.shares.ran(ran.run_ns, ran.wait_ns, periods, period_ns), late),
            Since::Moved(scheduled) => (self.shares.moved(view.ready, scheduled, periods, period_ns), late),
        };
        self.counters.last_ns.store(now_ns, Relaxed);
        let when = When {
            at_ns: now_ns,
            until_ns: thread::now_ns(),
        };
        if state == RUNNABLE && matches!(view.since, Since::Unmoved) && self.last == Seen::Stack {
            self.hold(periods, when);
        } else {
            self.release();
            self.count(periods, missed);
            self.emit(state, periods - missed, view.retried, view.proven, when);
        }
        let (processor, times) = self.elsewhere;
        if times >= ELSEWHERE_MAX {
            self.elsewhere = (processor, 0);
            add(&self.counters.moves, 1);
            return Then::Move(processor);
        }
        Then::Stay
    }

    /// Notes where it was found waiting: a thread that wakes up where the target does reads it undisturbed.
    fn note_processor(&mut self, processor: u32, here: Here<'_>) {
        let (last, times) = self.elsewhere;
        self.elsewhere = if here.processor == Some(processor) || !here.crew.is_reachable(processor) {
            (processor, 0)
        } else if last == processor {
            (processor, times + 1)
        } else {
            (processor, 1)
        };
    }

    /// Learns the stack of now, in the cheapest way that is sure.
    fn observe(&mut self, now_ns: u64, here: Here<'_>, tools: &mut Tools) -> Result<View, Then> {
        let proven = self.proven.take();
        let ran_on = proven.and_then(|proven| self.ran_on(proven, now_ns));
        if let (Some(proven), Some(ran_on)) = (proven, ran_on)
            && self.look_once(here, now_ns, tools)
        {
            self.contradictions = 0;
            self.proven = Some(Proven {
                scheduled: None,
                ready: true,
                cpu_ns: proven.cpu_ns.map(|cpu_ns| cpu_ns + ran_on.run_ns),
                at_ns: thread::now_ns(),
            });
            return Ok(View {
                ready: true,
                retried: false,
                proven: true,
                since: Since::Ran(ran_on),
            });
        }
        let before = self.task.scheduled().ok_or(Then::Leave)?;
        if let Some(proven) = proven
            && proven.scheduled == Some(before)
        {
            add(&self.counters.repeated, 1);
            // By its clock alone it cannot be seen any more to have run on since the last look.
            self.proven = Some(Proven {
                cpu_ns: None,
                ..proven
            });
            return Ok(View {
                ready: proven.ready,
                retried: false,
                proven: true,
                since: Since::Unmoved,
            });
        }
        let looked = self.look(before, now_ns, here, tools)?;
        if ran_on.is_some() && self.proven.is_some_and(|proven| proven.scheduled == Some(before)) {
            self.contradictions += 1;
            if self.contradictions == CONTRADICTIONS_MAX {
                self.sight.forget_processor();
            }
        }
        Ok(looked)
    }

    fn ran_on(&self, proven: Proven, now_ns: u64) -> Option<RanOn> {
        let may_have = self.sight.knows_processor() && proven.cpu_ns.is_some();
        may_have.then(|| proven.ran_on(self.task.cpu_ns()?, now_ns))?
    }

    /// Reads the stack of a target that is ready, and says whether it stood still meanwhile, on the CPU of this
    /// thread: which was not taken off it.
    fn look_once(&mut self, here: Here<'_>, now_ns: u64, tools: &mut Tools) -> bool {
        self.release();
        self.last = self.sight.look(tools, now_ns, &mut self.sender, true);
        let processor = self.sight.processor(tools);
        add(&self.counters.reads, tools.window.take_reads());
        let was_here = tools.presence.lasts();
        let stood_still = was_here && processor.is_some() && processor == here.processor;
        if !stood_still {
            self.sight.doubt();
        }
        stood_still && matches!(self.last, Seen::Stack | Seen::Idle)
    }

    /// Reads the stack with what `/proc` says before and after, again if it moved: what [`Target::observe`] says.
    fn look(
        &mut self,
        before: Scheduled,
        now_ns: u64,
        here: Here<'_>,
        tools: &mut Tools,
    ) -> Result<View, Then> {
        self.release();
        let mut before = before;
        let mut readings = 0;
        loop {
            let status = self.task.status();
            let runs_elsewhere = match status.activity {
                Activity::Ended => return Err(Then::Leave),
                Activity::Waiting => false,
                Activity::Ready => here.processor != Some(status.processor),
            };
            self.note_processor(status.processor, here);
            if runs_elsewhere && self.moves < MOVES_MAX && here.crew.is_reachable(status.processor) {
                self.moves += 1;
                add(&self.counters.moves, 1);
                return Err(Then::Move(status.processor));
            }
            self.last = self.sight.look(tools, now_ns, &mut self.sender, false);
            readings += 1;
            add(&self.counters.reads, tools.window.take_reads());
            let Some(after) = self.task.scheduled() else {
                return Err(Then::Leave);
            };
            if self.last == Seen::Gone {
                return Err(Then::Leave);
            }
            let ready = status.activity == Activity::Ready;
            let stood_still = after == before && !runs_elsewhere;
            if stood_still && self.last == Seen::Unlinked && readings < READINGS_MAX {
                // It is about to go on, once it gets the CPU.
                std::thread::sleep(MOMENT);
                before = self.task.scheduled().ok_or(Then::Leave)?;
                continue;
            }
            if stood_still {
                // What could not be announced must be looked at again to be announced later.
                if self.last != Seen::NoRoom {
                    let clock_tells = ready && status.is_alone;
                    self.proven = Some(Proven {
                        scheduled: Some(after),
                        ready,
                        cpu_ns: clock_tells.then(|| self.task.cpu_ns()).flatten(),
                        at_ns: thread::now_ns(),
                    });
                }
                return Ok(View::moved(after, ready, readings > 1, true));
            }
            // No thread may go where it runs: the next reading would be no better than one that looks like a stack.
            let is_all_there_is = runs_elsewhere && self.last == Seen::Stack;
            if readings == READINGS_MAX || is_all_there_is {
                self.sight.doubt_request();
                return Ok(View::moved(after, ready, true, false));
            }
            self.sight.doubt();
            before = after;
        }
    }

    fn count(&self, due: u64, missed: u64) {
        add(&self.counters.due, due);
        add(&self.counters.missed, missed);
    }

    /// Keeps ticks that found the target still waiting for a CPU, as most do where many are busy: each record costs as much as
    /// such a tick. They are due when they are told, so that nobody takes them for missed. Whoever sleeps may do so for long, and
    /// each of its samples is told at its own tick.
    fn hold(&mut self, ticks: u64, when: When) {
        let (before, since_ns) = self
            .held
            .map_or((0, when.at_ns), |held| (held.ticks, held.since_ns));
        self.held = Some(Held {
            ticks: before + ticks,
            since_ns,
            when,
        });
        if when.at_ns.saturating_sub(since_ns) >= HELD_NS {
            self.release();
        }
    }

    /// Tells what was held, as one sample: before the next look, which takes the place of the last one.
    fn release(&mut self) {
        if let Some(held) = self.held.take() {
            self.count(held.ticks, 0);
            self.emit(RUNNABLE, held.ticks, false, true, held.when);
        }
    }

    fn emit(&mut self, state: u8, ticks: u64, retried: bool, proven: bool, when: When) {
        add(&self.counters.retried, u64::from(retried));
        match self.last {
            Seen::Stack => {}
            Seen::NoRoom => return add(&self.counters.lost, ticks),
            Seen::Unreadable | Seen::Unlinked => return add(&self.counters.unreadable, ticks),
            Seen::Idle | Seen::Gone => return add(&self.counters.idle, ticks),
        }
        let mut flags = self.sight.flags();
        let circumstances = self.sight.circumstances();
        let (frames, values) = self.sight.seen(proven);
        flags |= if retried { RETRIED } else { 0 };
        flags |= if values.is_empty() { 0 } else { VALUES };
        let header = SampleHeader {
            kind: SAMPLE,
            state: state.min(BLOCKED),
            flags,
            native: NATIVE_UNKNOWN,
            weight: ticks.try_into().unwrap_or(u32::MAX),
            pid: self.group,
            tid: self.task.pid(),
            at_ns: when.at_ns,
            depth: frames.len() as u32,
            span: ((when.until_ns.saturating_sub(when.at_ns) >> 10) + 1)
                .try_into()
                .unwrap_or(u32::MAX),
            request: circumstances.request,
            used: circumstances.used,
            peak: circumstances.peak,
            ..SampleHeader::default()
        };
        let head: [u64; 8] = zerocopy::transmute!(header);
        let frames: &[[u64; 2]] = zerocopy::transmute_ref!(frames);
        if self.sender.send(&head, frames.as_flattened(), values).is_err() {
            add(&self.counters.lost, ticks);
        }
    }

    fn end(&mut self, tick: u64) -> Then {
        self.close(tick.saturating_sub(1));
        self.counters.ended.store(true, Relaxed);
        Then::Leave
    }

    /// Nobody looks any more: the ticks up to and with `tick` that nobody took were missed.
    pub fn close(&mut self, tick: u64) {
        self.release();
        let left = self.progress.left(tick);
        self.count(left, left);
        self.counters.last_ns.store(thread::now_ns(), Relaxed);
    }
}
