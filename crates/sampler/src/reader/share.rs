//! On a CPU, or only ready to run?
//!
//! The sampler itself has the CPU while it looks, so a target that is ready never runs at that moment. What it
//! got between the ticks tells: time on a CPU and time in which it waited for one are put on two accounts, and
//! each tick that finds it ready is paid from the fuller one. So samples on CPU add up to its CPU time, and
//! those of a target that was woken only just now (by the very interrupt that woke the sampler) count as the
//! wait that they show.

use crate::record::{BLOCKED, ON_CPU, RUNNABLE};
use remote::task::Scheduled;

/// An account never holds more than this many periods, nor owes more: an old debt says nothing of now.
const LIMIT: i64 = 8;

/// Both accounts of one target, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shares {
    run: i64,
    wait: i64,
    last: Option<Scheduled>,
    /// What was paid already for a wait that the scheduler will count when it ends.
    ahead: i64,
}

impl Shares {
    /// What a tick counts as that found the target ready or not, `periods` after the last one, with what it got from
    /// the scheduler until now.
    pub fn moved(&mut self, ready: bool, now: Scheduled, periods: u64, period_ns: u64) -> u8 {
        if self.last == Some(now) {
            return self.unmoved(ready, periods, period_ns);
        }
        let last = self.last.replace(now).unwrap_or(now);
        let run_ns = now.run_ns.saturating_sub(last.run_ns);
        let wait_ns = now.wait_ns.saturating_sub(last.wait_ns);
        self.book(run_ns, wait_ns, periods, period_ns);
        if ready { self.pay(period_ns) } else { BLOCKED }
    }

    /// The same of a target that is ready, and did nothing but run and wait for a CPU since the last tick.
    pub fn ran(&mut self, run_ns: u64, wait_ns: u64, periods: u64, period_ns: u64) -> u8 {
        if let Some(last) = &mut self.last {
            last.run_ns = last.run_ns.saturating_add(run_ns);
            last.wait_ns = last.wait_ns.saturating_add(wait_ns);
        }
        self.book(run_ns, wait_ns, periods, period_ns);
        self.pay(period_ns)
    }

    /// The same of a target that has not run since the last tick: all of these periods count.
    pub fn unmoved(&mut self, ready: bool, periods: u64, period_ns: u64) -> u8 {
        if !ready {
            return BLOCKED;
        }
        let passed = period_ns
            .cast_signed()
            .saturating_mul(periods.try_into().unwrap_or(i64::MAX));
        self.ahead = self.ahead.saturating_add(passed);
        RUNNABLE
    }

    /// Of several periods only one gives a sample, and it gets its part only.
    fn book(&mut self, run_ns: u64, wait_ns: u64, periods: u64, period_ns: u64) {
        let limit = LIMIT * period_ns.cast_signed();
        let bound = |account: i64| account.clamp(-limit, limit);
        let part = |ns: u64| (ns / periods.max(1)).cast_signed();
        self.run = bound(self.run.saturating_add(part(run_ns)));
        let wait = part(wait_ns).saturating_sub(std::mem::take(&mut self.ahead));
        self.wait = bound(self.wait.saturating_add(wait.max(0)));
    }

    fn pay(&mut self, period_ns: u64) -> u8 {
        let period = period_ns.cast_signed();
        let (account, state) = if self.run >= self.wait {
            (&mut self.run, ON_CPU)
        } else {
            (&mut self.wait, RUNNABLE)
        };
        if *account <= -(LIMIT - 1) * period {
            return BLOCKED;
        }
        *account -= period;
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PERIOD: u64 = 1_000_000;

    /// Ticks at each of which the target got a thousandth of `run` and `wait` of a period.
    fn count(ready: impl Fn(u64) -> bool, run: u64, wait: u64, ticks: u64) -> [u64; 3] {
        let mut shares = Shares::default();
        let mut counts = [0; 3];
        for tick in 1..=ticks {
            let now = Scheduled {
                run_ns: tick * run * PERIOD / 1000,
                wait_ns: tick * wait * PERIOD / 1000,
                times: tick,
            };
            counts[shares.moved(ready(tick), now, 1, PERIOD) as usize] += 1;
        }
        counts
    }

    #[test]
    fn a_busy_target_is_on_its_cpu_for_as_long_as_it_got_it() {
        let [on, runnable, blocked] = count(|_| true, 985, 15, 10_000);
        assert!(on.abs_diff(9_850) <= 8, "{on}");
        assert!(runnable.abs_diff(150) <= 8, "{runnable}");
        assert_eq!(blocked, 0);
    }

    #[test]
    fn two_that_share_a_cpu_are_runnable_half_of_the_time() {
        let [on, runnable, _] = count(|_| true, 500, 500, 10_000);
        assert!(on.abs_diff(5_000) <= 8 && runnable.abs_diff(5_000) <= 8);
    }

    #[test]
    fn woken_by_the_tick_itself_is_not_running() {
        // Found ready every time, but it only ever got a tenth of a CPU.
        let [on, runnable, blocked] = count(|_| true, 100, 0, 10_000);
        assert!(on.abs_diff(1_000) <= 16, "{on}");
        assert!(runnable <= 16, "{runnable}");
        assert!(blocked > 8_900);
    }

    #[test]
    fn a_long_wait_for_a_cpu_is_one_although_it_is_counted_at_its_end() {
        let mut shares = Shares::default();
        let mut counts = [0; 3];
        let mut now = Scheduled::default();
        for _ in 0..100 {
            // Ten ticks on a CPU, and thirty without one.
            for tick in 0..40 {
                if tick < 10 {
                    now.run_ns += PERIOD;
                    now.wait_ns += if tick == 0 { 30 * PERIOD } else { 0 };
                    now.times += 1;
                }
                counts[shares.moved(true, now, 1, PERIOD) as usize] += 1;
            }
        }
        let [on, runnable, blocked] = counts;
        assert!(u64::abs_diff(on, 1_000) <= 16, "{on}");
        assert!(u64::abs_diff(runnable, 3_000) <= 16, "{runnable}");
        assert_eq!(blocked, 0);
    }

    #[test]
    fn a_sleeper_is_blocked() {
        assert_eq!(count(|_| false, 0, 0, 100), [0, 0, 100]);
    }

    proptest! {
        #[test]
        fn any_numbers_give_a_state(
            steps in proptest::collection::vec((any::<bool>(), any::<u64>(), any::<u64>(), any::<u64>()), 0..50),
        ) {
            let mut shares = Shares::default();
            for (ready, run_ns, wait_ns, periods) in steps {
                let now = Scheduled { run_ns, wait_ns, times: 0 };
                prop_assert!(shares.moved(ready, now, periods, 1_000_000_000) <= BLOCKED);
            }
        }
    }
}
