//! What the user asks of a recording.

use crate::Peeks;
use std::time::Duration;

/// The highest rate: below it, a timer interrupt and a walk fit the period many times.
pub const MAX_RATE: u32 = 20_000;

/// Which source is to take the stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The kernel where it is permitted, else the reader.
    #[default]
    Auto,
    /// The kernel or nothing.
    Kernel,
    /// The reader.
    Reader,
}

/// What the user asks of a recording.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The sampling period.
    pub period: Duration,
    /// How long; `None` is until the targets end or somebody stops it.
    pub duration: Option<Duration>,
    /// How many samples; `None` is without a limit.
    pub limit: Option<u64>,
    /// More frames than this are cut.
    pub max_depth: u16,
    /// Which source.
    pub source: Choice,
    /// What is looked into beside the stacks: only the reader does that.
    pub peeks: Peeks,
}
