//! One observation of one target.

use crate::{ContextId, Memory, StackId};

/// What the target was doing when it was sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// It ran on a CPU.
    OnCpu,
    /// It wanted to run, and another task had the CPU.
    Runnable,
    /// It waited: for I/O, a lock, a timer, a child.
    Blocked,
}

impl State {
    /// The name that labels carry: `on-cpu`, `runnable`, `blocked`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnCpu => "on-cpu",
            Self::Runnable => "runnable",
            Self::Blocked => "blocked",
        }
    }

    /// The state that [`State::name`] calls `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::OnCpu, Self::Runnable, Self::Blocked]
            .into_iter()
            .find(|state| state.name() == name)
    }
}

/// A stack, seen for `weight` periods in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it was taken (for a wait: when it ended), in nanoseconds since the recording began.
    pub at_ns: u64,
    /// The process.
    pub pid: u32,
    /// The thread; equal to `pid` in PHP without threads.
    pub tid: u32,
    /// What the target was doing.
    pub state: State,
    /// How many sampling periods this observation stands for: 1 on a CPU, 1 or more while waiting.
    pub weight: u32,
    /// The stack, in the [`crate::Symbols`] of the same recording.
    pub stack: StackId,
    /// Which request it served and what it waited for, as far as that was asked and is known; in the same symbols.
    pub context: ContextId,
    /// How much memory it held, where that was asked and is known.
    pub memory: Option<Memory>,
}
