//! What a thread was seen to wait for, and which samples that tells about.

use remote::wait::{Look, Wait};
use std::{collections::VecDeque, sync::Arc};

/// Waits that are remembered: those of some seconds, since samples come late.
const MOST: usize = 1024;

/// What a sample says of time, `CLOCK_MONOTONIC` in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// It stands for one wait, which went on at least from the first moment to the second.
    Wait(u64, u64),
    /// At one moment between these two the thread was seen to wait.
    Within(u64, u64),
}

/// One wait, as far as it was looked at.
#[derive(Debug)]
struct Seen {
    times: u64,
    first_ns: u64,
    last_ns: u64,
    wait: Arc<Wait>,
}

/// The waits of one thread, in the order of time.
#[derive(Debug, Default)]
pub struct History {
    waits: VecDeque<Seen>,
}

impl History {
    /// How often the thread had been put on a CPU before the wait that was seen last.
    pub fn last(&self) -> Option<u64> {
        self.waits.back().map(|seen| seen.times)
    }

    /// At this moment the wait that was seen last still went on.
    pub fn extend(&mut self, at_ns: u64) {
        if let Some(last) = self.waits.back_mut() {
            last.last_ns = at_ns;
        }
    }

    /// Adds a look that came after all others.
    pub fn add(&mut self, look: Look) {
        if self.last() == Some(look.times) {
            return self.extend(look.at_ns);
        }
        if self.waits.len() == MOST {
            self.waits.pop_front();
        }
        self.waits.push_back(Seen {
            times: look.times,
            first_ns: look.at_ns,
            last_ns: look.at_ns,
            wait: Arc::new(look.wait),
        });
    }

    /// What the thread waited for in the sample, if it was seen in that very wait.
    pub fn find(&self, span: Span) -> Option<&Arc<Wait>> {
        let mut fitting = self.waits.iter().rev().filter(|seen| match span {
            // Two stretches of one wait each that have a moment in common are of the same wait.
            Span::Wait(from, to) => seen.first_ns < to && from < seen.last_ns,
            Span::Within(from, to) => seen.first_ns <= from && to <= seen.last_ns,
        });
        let found = fitting.next()?;
        // The kernel does not tell every switch: a sample may stand for two waits as if they were one.
        fitting.next().is_none().then_some(&found.wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use remote::wait::Kind;

    fn look(times: u64, at_ns: u64) -> Look {
        Look {
            at_ns,
            times,
            wait: Wait {
                kind: Kind::Other,
                call: times.to_string(),
                targets: Vec::new(),
                more: 0,
            },
        }
    }

    fn found(history: &History, span: Span) -> Option<&str> {
        history.find(span).map(|wait| &*wait.call)
    }

    #[test]
    fn a_wait_is_known_from_the_first_look_to_the_last() {
        let mut history = History::default();
        for (times, at_ns) in [(1, 100), (1, 200), (2, 300), (4, 500)] {
            history.add(look(times, at_ns));
        }
        assert_eq!(found(&history, Span::Within(100, 200)), Some("1"));
        assert_eq!(found(&history, Span::Within(150, 201)), None);
        assert_eq!(found(&history, Span::Within(99, 150)), None);
        assert_eq!(found(&history, Span::Within(300, 300)), Some("2"));
        assert_eq!(found(&history, Span::Wait(150, 250)), Some("1"));
        assert_eq!(found(&history, Span::Wait(290, 310)), Some("2"));
        assert_eq!(found(&history, Span::Wait(201, 299)), None);
        // Ended at the very moment of a look: whether before or after it, nobody can tell.
        assert_eq!(found(&history, Span::Wait(250, 300)), None);
        assert_eq!(found(&history, Span::Wait(300, 400)), None);
        assert_eq!(found(&history, Span::Wait(150, 400)), None, "two waits");
    }

    proptest! {
        /// A thread waits and runs in turns; whoever looks now and then is never wrong about a wait.
        #[test]
        fn no_wait_is_taken_for_another(lengths in prop::collection::vec((1_u64..60, 1_u64..20), 1..80), every in 1_u64..90) {
            let mut waits = Vec::new();
            let mut now = 1000;
            for (times, (waited, ran)) in lengths.into_iter().enumerate() {
                waits.push((times as u64, now, now + waited));
                now += waited + ran;
            }
            let mut history = History::default();
            for at_ns in (1000..now).step_by(every as usize) {
                if let Some(&(times, ..)) = waits.iter().find(|&&(_, from, to)| from < at_ns && at_ns < to) {
                    history.add(look(times, at_ns));
                }
            }
            for &(times, from, to) in &waits {
                let itself = times.to_string();
                for span in [Span::Wait(from, to), Span::Wait(from + 1, to)] {
                    prop_assert!(found(&history, span).is_none_or(|call| call == itself));
                }
                for at in from..to {
                    prop_assert!(found(&history, Span::Within(at, at + 1)).is_none_or(|call| call == itself));
                }
            }
        }
    }
}
