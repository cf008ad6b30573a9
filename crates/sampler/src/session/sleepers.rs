//! Targets that wait for long: nothing is told of them, and their stacks are read once from outside.

use super::{
    intake::Intake,
    known::{Seen, periods},
};
use crate::{Lasted, Told, clock, waits::Span};
use profile::{ContextId, Sample, State};

impl Intake<'_> {
    /// The kernel has seen a target for the first time since it was attached.
    pub fn meet(&mut self, tid: u32, now_ns: u64) {
        self.known.entry(tid).or_default().is_met = true;
        self.wake(tid, now_ns);
    }

    /// A target that slept since it was attached is awake or at the end of the recording: what it
    /// did until then is the stack that was read then.
    fn wake(&mut self, tid: u32, now_ns: u64) {
        let period_ns = self.period_ns();
        let Some(asleep) = self.known.get_mut(&tid).and_then(|known| known.asleep.take()) else {
            return;
        };
        let now_ns = now_ns.min(self.until_ns);
        let slept_ns = now_ns.saturating_sub(asleep.since_ns.max(self.from_ns));
        let weight = periods(slept_ns, period_ns);
        if now_ns <= asleep.read_ns || weight == 0 {
            return;
        }
        // It has not been seen to run since its stack was read.
        let span = Span::Wait(asleep.read_ns, now_ns);
        self.waited(tid, asleep.seen, weight, span, now_ns);
    }

    /// Counts so many periods of waiting in one place.
    fn waited(&mut self, tid: u32, seen: Seen, periods: u64, span: Span, now_ns: u64) {
        let known = self.known.entry(tid).or_default();
        let Some(stack) = seen.stack else {
            known.tally.idle += periods;
            return;
        };
        let sample = Sample {
            at_ns: now_ns.saturating_sub(self.start_ns),
            pid: known.process,
            tid,
            state: State::Blocked,
            weight: periods.try_into().unwrap_or(u32::MAX),
            stack,
            context: seen.context,
            memory: seen.memory,
        };
        self.take(Told {
            whole: seen.whole,
            has_request: seen.context != ContextId::NONE,
            span: Some(span),
            ..Told::of(sample)
        });
    }

    /// Reads the stack of a target that waits, and counts as many periods as `lasted` says after that it has waited there
    /// without a break; none where it has come back meanwhile.
    pub fn read_wait(&mut self, tid: u32, lasted: Lasted<'_>) {
        let Some(known) = self.known.get(&tid) else { return };
        let seen = known.read(tid, self.settings.max_depth, self.settings.asked, self.symbols);
        let read_ns = clock::monotonic_ns();
        let Some(periods) = lasted() else { return };
        match seen {
            Some(seen) => {
                // A part of a period may be left over from an earlier wait.
                let whole = periods.saturating_sub(1).saturating_mul(self.period_ns());
                let span = Span::Wait(read_ns.saturating_sub(whole), read_ns);
                self.waited(tid, seen, periods, span, clock::monotonic_ns());
            }
            None => self.known.entry(tid).or_default().tally.unreadable += periods,
        }
    }

    /// The same for all that have slept to the end.
    pub fn wake_all(&mut self, now_ns: u64) {
        let asleep: Vec<u32> = self
            .known
            .iter()
            .filter(|(_, known)| known.asleep.is_some())
            .map(|(&pid, _)| pid)
            .collect();
        for pid in asleep {
            self.wake(pid, now_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            known::Asleep,
            testing::{Nobody, settings},
        },
        *,
    };
    use crate::Whole;
    use profile::Symbols;

    #[test]
    fn who_sleeps_all_the_time_counts_for_all_of_it_and_no_more() {
        let settings = settings();
        let (mut symbols, mut watcher) = (Symbols::default(), Nobody);
        let mut intake = Intake::new(&settings, &mut symbols, &mut watcher);
        (intake.from_ns, intake.until_ns) = (1_000, 3_007);
        let seen = Seen {
            stack: None,
            whole: Whole::Yes,
            context: ContextId::NONE,
            memory: None,
        };
        let asleep = Asleep {
            since_ns: 900,
            read_ns: 950,
            seen,
        };
        intake.known.entry(7).or_default().asleep = Some(asleep);
        intake.wake_all(3_270);
        assert_eq!(intake.known[&7].tally.idle, 201);
    }
}
