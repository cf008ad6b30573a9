//! Waits that last to the end of the recording, and for which the programs kept no stack: user space reads it.
//!
//! A task may come back at any moment, and the programs then tell the wait. Whether a reading was true, and who counts, is
//! settled by one look after it: the task still waits since the same moment.

use super::{
    config::Task,
    pending::{Tasks, Window, alive},
};
use crate::{
    Observed,
    record::{self, SampleHeader},
};
use std::{collections::HashMap, thread, time::Duration};
use zerocopy::{FromBytes, transmute};

/// How often it is asked whether a task that just came back has told its wait, which takes some microseconds.
const PATIENCE: u32 = 10_000;

/// A wait that has not ended, and for which no stack is kept.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    key: u64,
    left_at_ns: u64,
    periods: u64,
    pub tid: u32,
}

/// The waits of now for which no stack is kept.
pub fn unread(tasks: &Tasks, period: Duration, window: Window) -> Vec<Wait> {
    let period_ns = (period.as_nanos() as u64).max(1);
    alive(tasks)
        .filter(|(_, task)| task.off_at_ns != 0 && task.sample.kind != record::SAMPLE)
        .map(|(key, task)| Wait {
            key,
            left_at_ns: task.off_at_ns,
            periods: task.waited_ns.saturating_add(window.since(task.off_at_ns)) / period_ns,
            tid: task.tid,
        })
        .filter(|wait| wait.periods > 0)
        .collect()
}

/// Waits that user space has read and counts, whatever the programs say of them from then on.
#[derive(Debug, Default)]
pub struct Claims(HashMap<u32, Claim>);

/// One of them, with what was counted of its task when it was claimed.
#[derive(Debug)]
struct Claim {
    left_at_ns: u64,
    idle: u64,
    lost: u64,
    unreadable: u64,
}

impl Claims {
    /// How many periods it makes, if the task has not come back; otherwise all is told by the programs when this returns.
    pub fn claim(&mut self, tasks: &Tasks, wait: &Wait) -> Option<u64> {
        for _ in 0..PATIENCE {
            let task: Task = transmute!(tasks.get(&wait.key, 0).ok()?);
            if task.off_at_ns == wait.left_at_ns && task.tid == wait.tid {
                let claim = Claim {
                    left_at_ns: wait.left_at_ns,
                    idle: task.idle,
                    lost: task.lost,
                    unreadable: task.unreadable,
                };
                self.0.insert(wait.tid, claim);
                return Some(wait.periods);
            }
            if task.owed == 0 {
                return None;
            }
            thread::yield_now();
        }
        None
    }

    /// Whether a record tells a claimed wait once more. Those before it ended before its task left the CPU.
    pub fn cover(&self, bytes: &[u8]) -> bool {
        bytes.first() == Some(&record::SAMPLE)
            && SampleHeader::read_from_prefix(bytes).is_ok_and(|(sample, _)| {
                sample.state == record::BLOCKED
                    && self
                        .0
                        .get(&sample.tid)
                        .is_some_and(|claim| sample.at_ns > claim.left_at_ns)
            })
    }

    /// Leaves nothing of the claimed waits to be counted.
    pub fn settle(self, observed: &mut HashMap<u32, Observed>) {
        for (tid, claim) in self.0 {
            if let Some(observed) = observed.get_mut(&tid) {
                observed.waiting_ns = 0;
                (observed.idle, observed.lost, observed.unreadable) =
                    (claim.idle, claim.lost, claim.unreadable);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::IntoBytes;

    fn sample(tid: u32, state: u8, at_ns: u64) -> Vec<u8> {
        let header = SampleHeader {
            kind: record::SAMPLE,
            state,
            tid,
            at_ns,
            ..SampleHeader::default()
        };
        header.as_bytes().to_vec()
    }

    #[test]
    fn a_claimed_wait_is_not_told_again_and_counts_once() {
        let claim = Claim {
            left_at_ns: 500,
            idle: 3,
            lost: 2,
            unreadable: 1,
        };
        let claims = Claims(HashMap::from([(7, claim)]));
        assert!(claims.cover(&sample(7, record::BLOCKED, 600)));
        assert!(!claims.cover(&sample(7, record::BLOCKED, 500)), "an earlier wait");
        assert!(!claims.cover(&sample(7, record::ON_CPU, 600)));
        assert!(!claims.cover(&sample(8, record::BLOCKED, 600)), "another task");
        assert!(!claims.cover(&[record::SAMPLE]) && !claims.cover(&[]));

        let told_since = Observed {
            tid: 7,
            idle: 13,
            lost: 2,
            unreadable: 1,
            waiting_ns: 99,
            ..Observed::default()
        };
        let mut observed = HashMap::from([(7, told_since)]);
        claims.settle(&mut observed);
        assert_eq!((observed[&7].idle, observed[&7].waiting_ns), (3, 0));
    }
}
