//! Takes stacks of running PHP: finds targets, samples them from one of two sources, accounts for every tick.
//!
//! Both sources write [`record`]s; one resolver turns them into `profile` samples. It must not know of
//! formats, files or terminals: samples go to whoever started the recording.

mod clock;
mod discovery;
mod error;
mod jit;
#[cfg(feature = "native")]
mod joiner;
#[cfg(feature = "kernel")]
mod kernel;
mod launch;
mod meaning;
mod peek;
pub mod reader;
pub mod record;
mod resolve;
mod session;
mod settings;
mod targets;
mod waits;

pub use error::Error;
#[cfg(feature = "kernel")]
pub use kernel::prepare;
pub use launch::{HOLD, hold};
pub use meaning::{Meaning, Told, Whole};
pub use peek::{BadPeek, Peek, Peeks, Value, Values};
pub use resolve::Resolver;
pub use session::{Recorded, Status, Watcher, record};
pub use settings::{Asked, Choice, MAX_RATE, Settings};
pub use targets::{Fpm, Role, Targets, title};
pub use zend::request::Parts;

/// Asked about a target that waits: for how many periods it has waited in one place; `None` if it has come back meanwhile.
pub(crate) type Lasted<'a> = &'a mut dyn FnMut() -> Option<u64>;

/// What a source saw of one thread that runs PHP, but for the samples, which are counted as they come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// The thread; without threads, the process.
    pub tid: u32,
    /// Since when it was watched, `CLOCK_MONOTONIC` in nanoseconds.
    pub first_ns: u64,
    /// Until when.
    pub last_ns: u64,
    /// Time of it that the process has spent waiting since it was last seen, and that no sample stands for yet.
    pub waiting_ns: u64,
    /// Periods with no PHP code running.
    pub idle: u64,
    /// Periods that were seen and dropped.
    pub lost: u64,
    /// Periods in which the stack could not be read.
    pub unreadable: u64,
    /// Whether it ended.
    pub ended: bool,
    /// Ticks that were due, where the source counts them; otherwise the time over the period.
    pub due: Option<u64>,
}
