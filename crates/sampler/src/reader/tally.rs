//! What became of the ticks of each target.

use crate::jit;
use remote::Process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What became of the ticks of one target so far. The samples themselves are counted by whoever drains them:
/// `due = samples (by their weight) + idle + missed + lost + unreadable`, once all records are drained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReaderTally {
    /// The process.
    pub pid: u32,
    /// Ticks that were due since it was attached.
    pub due: u64,
    /// Seen with no PHP code running.
    pub idle: u64,
    /// Slept over.
    pub missed: u64,
    /// Seen, but dropped since nobody drained the ring in time.
    pub lost: u64,
    /// Seen, but not even the innermost frame could be read, or it was a generator that had not been linked yet
    /// to what resumed it.
    pub unreadable: u64,
    /// Read again since the target moved meanwhile; those that still moved the last time are among them.
    pub retried: u64,
    /// Seen without any read, since the target had not run since the last sample.
    pub repeated: u64,
    /// Reads of its memory.
    pub reads: u64,
    /// Handed from the thread of one CPU to that of another.
    pub moves: u64,
    /// Whether it ended by itself.
    pub ended: bool,
    /// When it was attached (`CLOCK_MONOTONIC`).
    pub first_ns: u64,
    /// When it was last seen, or slept over.
    pub last_ns: u64,
}

/// The same while it is counted. One thread writes at a time, any may read.
#[derive(Debug, Default)]
pub struct Counters {
    pub due: AtomicU64,
    pub idle: AtomicU64,
    pub missed: AtomicU64,
    pub lost: AtomicU64,
    pub unreadable: AtomicU64,
    pub retried: AtomicU64,
    pub repeated: AtomicU64,
    pub reads: AtomicU64,
    pub moves: AtomicU64,
    pub ended: AtomicBool,
    pub first_ns: AtomicU64,
    pub last_ns: AtomicU64,
    /// Whether the target has JIT code.
    pub has_jit: AtomicBool,
    /// Whether nobody wants to see this target any more.
    pub detached: AtomicBool,
}

impl Counters {
    /// Notes whether the target has JIT code. It keeps what it has.
    pub fn note_jit(&self, process: &Process) {
        if !self.has_jit.load(Relaxed) && jit::runs_in(process) {
            self.has_jit.store(true, Relaxed);
        }
    }

    pub fn tally(&self, pid: u32) -> ReaderTally {
        ReaderTally {
            pid,
            due: self.due.load(Relaxed),
            idle: self.idle.load(Relaxed),
            missed: self.missed.load(Relaxed),
            lost: self.lost.load(Relaxed),
            unreadable: self.unreadable.load(Relaxed),
            retried: self.retried.load(Relaxed),
            repeated: self.repeated.load(Relaxed),
            reads: self.reads.load(Relaxed),
            moves: self.moves.load(Relaxed),
            ended: self.ended.load(Relaxed),
            first_ns: self.first_ns.load(Relaxed),
            last_ns: self.last_ns.load(Relaxed),
        }
    }
}

/// Adds to a counter that only the calling thread writes: no locked instruction.
pub fn add(counter: &AtomicU64, count: u64) {
    counter.store(counter.load(Relaxed) + count, Relaxed);
}
