//! Where comparisons are measured.

use anyhow::Result;
use common::neighbours::Neighbours;
use php::Binary;

/// Where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// On one CPU; what can be, ahead of all that is not real-time.
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

    pub fn neighbours(self, php: &Binary) -> Result<Option<Neighbours>> {
        match self {
            Self::Pinned => Ok(None),
            Self::Busy => Neighbours::start(php).map(Some),
        }
    }
}
