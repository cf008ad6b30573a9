//! What the user asks of a recording.

use crate::Peeks;
use std::time::Duration;
use zend::request::Parts;

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
    /// Whether samples of waits are to say what they wait for.
    pub waits: bool,
    /// What is read besides each stack.
    pub asked: Asked,
    /// What is looked into beside the stacks: only the reader does that.
    pub peeks: Peeks,
    /// Whether samples are labelled with what was seen there ([`profile::Label::Peek`]).
    pub labels_values: bool,
}

/// What is read besides each stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The request that is served.
    pub request: Parts,
    /// How much memory PHP's allocator holds.
    pub memory: bool,
    /// The frames of C that PHP's innermost function has called: only the kernel source has them.
    pub native: bool,
}
