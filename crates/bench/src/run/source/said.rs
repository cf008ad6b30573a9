//! What an iteration says of itself.

use super::super::trouble::Trouble;
use crate::model::Memory;
use serde::Deserialize;
use serde_json::Value;

/// What an iteration says.
#[derive(Debug, Deserialize)]
pub(super) struct Said {
    pub(super) result: Option<Measured>,
    pub(super) overhead: Option<Overhead>,
    pub(super) error: Option<String>,
    pub(super) detail: Option<String>,
    #[serde(default)]
    pub(super) output: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Measured {
    pub(super) sample: Option<i64>,
    pub(super) memory: Option<Memory>,
}

/// What the clock and an empty subject cost, in nanoseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Overhead {
    pub(super) clock: f64,
    empty: f64,
    /// What it costs when its code runs for the first time, as the subject's does.
    first: i64,
    revs: u64,
}

impl Overhead {
    /// An empty subject's cost per revolution.
    pub(super) fn per_revolution(&self) -> f64 {
        (self.empty - self.clock).max(0.0) / self.revs.max(1) as f64
    }

    /// What of a sample of so many revolutions is not the subject's.
    pub(super) fn of(&self, revolutions: u64) -> i64 {
        if revolutions == self.revs {
            return self.first;
        }
        self.first + (self.per_revolution() * (revolutions as f64 - self.revs as f64)).round() as i64
    }
}

pub(super) fn read(line: Value) -> Result<Said, Trouble> {
    serde_json::from_value(line)
        .map_err(|error| Trouble::subject(format!("its executor says what cannot be read ({error})")))
}
