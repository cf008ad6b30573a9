//! Waits that go on, for whoever looks on while the recording lasts: the kernel source tells of a wait when it is over.

use super::{
    intake::Intake,
    known::{Known, Whose},
};
use crate::Observed;
use profile::{Sample, State};
use std::time::Duration;

/// Shorter ones are over before anybody looks: reading a stack from outside takes some ten microseconds.
const LONG: Duration = Duration::from_secs(1);

impl Intake<'_> {
    /// Tells the watcher of all waits that have lasted long and go on. The stack of each is read once.
    pub fn tell_open_waits(&mut self, observe: &dyn Fn() -> Vec<Observed>) {
        let before = observe();
        // Whoever has come back while its stack was read is seen not to wait since then any more.
        let observed = if self.read_open_waits(&before) {
            observe()
        } else {
            before
        };
        let waits: Vec<Sample> = observed
            .iter()
            .filter_map(|observed| self.open_wait(observed))
            .collect();
        self.watcher.open_waits(self.symbols, &waits);
    }

    /// Whether a stack was read.
    fn read_open_waits(&mut self, observed: &[Observed]) -> bool {
        let mut has_read = false;
        for observed in observed {
            let Some(since_ns) = waits_since(observed) else {
                continue;
            };
            let Some(known) = self.known.get(&observed.tid) else {
                continue;
            };
            let is_read = known.open.as_ref().is_some_and(|open| open.since_ns == since_ns);
            if is_read || known.asleep.is_some() || known.whose != Whose::Ours {
                continue;
            }
            let seen = known.read(
                observed.tid,
                self.settings.max_depth,
                self.settings.asked,
                self.symbols,
            );
            has_read = true;
            if let Some(known) = self.known.get_mut(&observed.tid) {
                known.open = seen.map(|seen| Open { since_ns, seen });
            }
        }
        has_read
    }

    /// The sample that a wait would be if it ended now.
    fn open_wait(&self, observed: &Observed) -> Option<Sample> {
        let known = self.known.get(&observed.tid)?;
        if observed.ended || known.whose != Whose::Ours {
            return None;
        }
        let (since_ns, seen) = known.waits(observed, self.from_ns)?;
        let periods = observed.last_ns.saturating_sub(since_ns) / self.period_ns();
        Some(Sample {
            at_ns: observed.last_ns.saturating_sub(self.start_ns),
            pid: known.process,
            tid: observed.tid,
            state: State::Blocked,
            weight: periods.try_into().unwrap_or(u32::MAX),
            stack: seen.stack?,
            context: seen.context,
            memory: seen.memory,
        })
    }
}

/// A wait that goes on.
pub struct Open {
    since_ns: u64,
    pub seen: super::known::Seen,
}

impl Known {
    /// Since when it waits, and where, if that is known.
    fn waits(&self, observed: &Observed, from_ns: u64) -> Option<(u64, super::known::Seen)> {
        if let Some(asleep) = &self.asleep {
            return Some((asleep.since_ns.max(from_ns), asleep.seen));
        }
        let since_ns = waits_since(observed)?;
        let open = self.open.as_ref().filter(|open| open.since_ns == since_ns)?;
        Some((since_ns, open.seen))
    }
}

/// Since when a target waits, if it has done so for long.
fn waits_since(observed: &Observed) -> Option<u64> {
    let is_long = u128::from(observed.waiting_ns) >= LONG.as_nanos();
    is_long.then(|| observed.last_ns.saturating_sub(observed.waiting_ns))
}
