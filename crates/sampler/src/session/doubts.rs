//! Samples of workers of which it is not known yet whether they are of the pool that was asked for: at first they have the
//! title of their master, and whoever forks tells nothing.

use crate::{Values, waits::Span};
use foldhash::HashMap;
use profile::Sample;
use remote::wait::Entered;

/// So many are held of one worker, which names itself within a moment.
const MOST: usize = 1024;

/// One of them, and what came with it.
pub struct Held {
    pub sample: Sample,
    pub when: (Option<Span>, Option<Entered>),
    pub cut: bool,
    pub retried: bool,
    pub values: Option<Values>,
}

/// What is held, by thread.
#[derive(Default)]
pub struct Doubts {
    held: HashMap<u32, Vec<Held>>,
    /// Periods that nobody will know the pool of.
    pub lost: u64,
}

impl Doubts {
    pub fn hold(&mut self, held: Held) {
        let of_worker = self.held.entry(held.sample.tid).or_default();
        if of_worker.len() < MOST {
            of_worker.push(held);
        } else {
            self.lost += u64::from(held.sample.weight);
        }
    }

    /// What is held of a worker, which is none of this one's any more.
    pub fn take(&mut self, tid: u32) -> Vec<Held> {
        self.held.remove(&tid).unwrap_or_default()
    }

    /// It ended without a name.
    pub fn lose(&mut self, tid: u32) {
        self.lost += self.take(tid).iter().map(weight).sum::<u64>();
    }

    /// What their ids mean is about to be forgotten, or the recording is over.
    pub fn lose_all(&mut self) {
        self.lost += self
            .held
            .drain()
            .flat_map(|(_, held)| held)
            .map(|held| weight(&held))
            .sum::<u64>();
    }
}

fn weight(held: &Held) -> u64 {
    held.sample.weight.into()
}
