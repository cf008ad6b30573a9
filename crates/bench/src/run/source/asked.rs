//! What an iteration is asked.

use serde_json::{Value, json};

/// What an iteration is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) revs: u64,
    pub(super) warmup: u64,
    /// Whether it finds out first what the clock and an empty subject cost.
    pub(super) calibrate: bool,
    /// Whether it waits where its loop begins and ends.
    pub(super) gate: bool,
    /// Whether its end, where it is a fork, is waited for before anything else is asked.
    pub(super) settle: bool,
}

impl Asked {
    /// A sample by itself.
    pub(super) const fn sample(revs: u64, warmup: u64) -> Self {
        Self {
            revs,
            warmup,
            calibrate: true,
            gate: false,
            settle: true,
        }
    }

    /// As the script reads it.
    pub(super) fn line(self, fork: bool) -> Value {
        json!({
            "revs": self.revs,
            "warmup": self.warmup,
            "calibrate": self.calibrate,
            "gate": self.gate,
            "settle": self.settle,
            "fork": fork,
        })
    }
}
