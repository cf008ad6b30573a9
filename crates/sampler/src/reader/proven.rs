//! What the last look proves about the next: whoever ran on all the time since then is ready, and need not be asked.

use remote::task::Scheduled;

/// For how long the target has not its CPU around a look: until this thread has woken up, and until it sleeps again.
const AROUND_NS: u64 = 25_000;

/// A look at a target that stood still.
#[derive(Clone, Copy, Debug)]
pub struct Proven {
    /// What the scheduler said then, where it was asked.
    pub scheduled: Option<Scheduled>,
    /// Whether the target was ready.
    pub ready: bool,
    /// Its CPU clock, where that says whether it ran on: it was ready, and has no other threads.
    pub cpu_ns: Option<u64>,
    /// When the look was over.
    pub at_ns: u64,
}

/// What a target did that ran on after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RanOn {
    pub run_ns: u64,
    /// While something else had its CPU.
    pub wait_ns: u64,
}

impl Proven {
    /// What the target did from then to now, if it ran but for the time around a look: so it is ready now, since it
    /// has no time left for a wait. (Where it runs on another CPU its clock is late.)
    pub fn ran_on(&self, cpu_ns: u64, now_ns: u64) -> Option<RanOn> {
        let run_ns = cpu_ns.checked_sub(self.cpu_ns?)?;
        let elapsed = now_ns.saturating_sub(self.at_ns);
        let wait_ns = elapsed.checked_sub(run_ns)?;
        // At a rate so high that a period is shorter than that, it must have run at least.
        (wait_ns <= AROUND_NS && run_ns > wait_ns).then_some(RanOn { run_ns, wait_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: Proven = Proven {
        scheduled: None,
        ready: true,
        cpu_ns: Some(5_000_000),
        at_ns: 100_000_000,
    };

    #[test]
    fn busy_is_who_ran_on_after_the_last_look() {
        let ran_on = LAST.ran_on(5_980_000, 101_000_000);
        let expected = RanOn {
            run_ns: 980_000,
            wait_ns: 20_000,
        };
        assert_eq!(ran_on, Some(expected));
        assert!(LAST.ran_on(5_085_000, 100_100_000).is_some(), "at a high rate");
    }

    #[test]
    fn whoever_may_have_waited_is_asked() {
        assert_eq!(
            LAST.ran_on(5_970_000, 101_000_000),
            None,
            "30 µs are not accounted for"
        );
        assert_eq!(LAST.ran_on(5_000_000, 101_000_000), None, "it did not run");
        assert_eq!(LAST.ran_on(6_100_000, 101_000_000), None, "more than there is");
        assert_eq!(LAST.ran_on(4_000_000, 101_000_000), None, "another process");
        assert_eq!(
            LAST.ran_on(5_000_000, 100_020_000),
            None,
            "a period is shorter than a look"
        );
        let waiting = Proven { cpu_ns: None, ..LAST };
        assert_eq!(waiting.ran_on(5_980_000, 101_000_000), None);
    }
}
