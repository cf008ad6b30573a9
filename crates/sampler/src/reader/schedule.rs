//! When ticks are due, without a clock of its own.

/// An absolute schedule: tick `n` is due `n` periods after the start, however late the ones before were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    start_ns: u64,
    period_ns: u64,
}

impl Schedule {
    pub const fn new(start_ns: u64, period_ns: u64) -> Self {
        Self {
            start_ns,
            period_ns: if period_ns == 0 { 1 } else { period_ns },
        }
    }

    pub const fn period_ns(self) -> u64 {
        self.period_ns
    }

    /// The last tick that is due at this time.
    pub const fn tick_at(self, now_ns: u64) -> u64 {
        now_ns.saturating_sub(self.start_ns) / self.period_ns
    }

    /// When a tick is due.
    pub const fn due_ns(self, tick: u64) -> u64 {
        self.start_ns.saturating_add(tick.saturating_mul(self.period_ns))
    }

    /// When to wake up after the work of one tick took from `began_ns` to `ended_ns`: for the next tick, but
    /// for as long as the work took not at all. So the target keeps at least half of its CPU at any rate, and a tick
    /// that falls into that time comes late.
    pub const fn wake_ns(self, began_ns: u64, ended_ns: u64) -> u64 {
        let next = self.due_ns(self.tick_at(began_ns) + 1);
        let rested = ended_ns.saturating_add(ended_ns.saturating_sub(began_ns));
        if next > rested { next } else { rested }
    }
}

/// How far one target has come on the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    next: u64,
}

impl Progress {
    /// Begins with the first tick after `tick`.
    pub const fn after(tick: u64) -> Self {
        Self { next: tick + 1 }
    }

    /// Whether the target is still to be seen at `tick`.
    pub const fn is_due(self, tick: u64) -> bool {
        self.next <= tick
    }

    /// Takes `tick`, and says how many before it nobody took.
    pub const fn take(&mut self, tick: u64) -> u64 {
        let missed = tick.saturating_sub(self.next);
        self.next = tick + 1;
        missed
    }

    /// How many ticks up to and with `tick` nobody took, at the end.
    pub const fn left(self, tick: u64) -> u64 {
        (tick + 1).saturating_sub(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SCHEDULE: Schedule = Schedule::new(1_000, 100);

    #[test]
    fn a_late_tick_does_not_shift_the_next_ones() {
        assert_eq!(SCHEDULE.tick_at(1_099), 0);
        assert_eq!(SCHEDULE.tick_at(1_100), 1);
        // Woken 40 late for tick 1, done at 150: tick 2 is due at 1,200 all the same.
        assert_eq!(SCHEDULE.wake_ns(1_140, 1_150), 1_200);
    }

    #[test]
    fn ticks_slept_over_are_missed_and_not_made_up() {
        let mut progress = Progress::after(SCHEDULE.tick_at(1_000));
        assert!(!progress.is_due(0));
        assert_eq!(progress.take(1), 0);
        assert_eq!(progress.take(5), 3);
        assert!(!progress.is_due(5));
        assert_eq!(progress.left(5), 0);
        assert_eq!(progress.left(7), 2);
    }

    #[test]
    fn an_overload_leaves_the_target_half_of_its_cpu() {
        assert_eq!(SCHEDULE.wake_ns(1_100, 1_400), 1_700);
        // Tick 2 comes late, at 1,260, and is not lost.
        assert_eq!(SCHEDULE.wake_ns(1_140, 1_200), 1_260);
    }

    proptest! {
        #[test]
        fn every_tick_is_taken_missed_or_left(
            period in 1_u64..1_000,
            pauses in proptest::collection::vec(0_u64..5_000, 0..50),
        ) {
            let schedule = Schedule::new(77, period);
            let mut progress = Progress::after(schedule.tick_at(77));
            let (mut now, mut taken, mut missed) = (77, 0, 0);
            for pause in pauses {
                now += pause;
                let tick = schedule.tick_at(now);
                if progress.is_due(tick) {
                    missed += progress.take(tick);
                    taken += 1;
                }
            }
            let tick = schedule.tick_at(now + 3 * period);
            prop_assert_eq!(taken + missed + progress.left(tick), tick);
        }
    }
}
