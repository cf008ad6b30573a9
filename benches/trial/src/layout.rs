//! Where comparisons are measured.

use crate::neighbours::Neighbours;
use anyhow::Result;
use php::Binary;

/// Where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// On one CPU, ahead of all that is not real-time.
    Pinned,
    /// Anywhere, beside processes that come and go on all CPUs.
    Busy,
}

impl Layout {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Busy => "busy",
        }
    }

    /// What a command line starts with.
    pub fn prefix(self, cpu: usize) -> Vec<String> {
        match self {
            Self::Pinned => {
                let cpu = cpu.to_string();
                ["chrt", "-f", "10", "taskset", "-c", &cpu]
                    .map(str::to_owned)
                    .to_vec()
            }
            Self::Busy => Vec::new(),
        }
    }

    pub fn neighbours(self, php: &Binary) -> Result<Option<Neighbours>> {
        match self {
            Self::Pinned => Ok(None),
            Self::Busy => Neighbours::start(php).map(Some),
        }
    }
}
