//! What the programs still hold at the end: counters, and the stacks of tasks that have not come back.

use super::config::{ENDED, Task, TaskBytes};
use crate::{Observed, record};
use aya::maps::{HashMap as BpfMap, MapData};
use std::{collections::HashMap, time::Duration};
use zerocopy::{IntoBytes, transmute};

/// The map of watched tasks.
pub type Tasks = BpfMap<MapData, u64, TaskBytes>;

/// The time that counts.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// `CLOCK_MONOTONIC`, in nanoseconds, like its end.
    pub from_ns: u64,
    /// Now, or when the recording ended.
    pub until_ns: u64,
}

impl Window {
    /// How much of the time since then lies in it.
    pub const fn since(self, at_ns: u64) -> u64 {
        let from_ns = if at_ns > self.from_ns { at_ns } else { self.from_ns };
        self.until_ns.saturating_sub(from_ns)
    }
}

/// All tasks that have not ended, by their addresses.
pub fn alive(tasks: &Tasks) -> impl Iterator<Item = (u64, Task)> {
    tasks
        .iter()
        .filter_map(Result::ok)
        .map(|(key, bytes)| -> (u64, Task) { (key, transmute!(bytes)) })
        .filter(|(_, task)| task.php.flags & ENDED == 0)
}

/// Adds each live task's counters to `observed`, and how long it has been waiting.
pub fn count(tasks: &Tasks, window: Window, observed: &mut HashMap<u32, Observed>) {
    for (_, task) in alive(tasks) {
        let Some(observed) = observed.get_mut(&task.tid) else {
            continue;
        };
        observed.idle += task.idle;
        observed.lost += task.lost;
        observed.unreadable += task.unreadable;
        if task.off_at_ns != 0 {
            observed.waiting_ns = window.since(task.off_at_ns);
        }
    }
}

/// The same, and hands each task's current wait to `sink` as a record.
pub fn collect(
    tasks: &Tasks,
    period: Duration,
    window: Window,
    observed: &mut HashMap<u32, Observed>,
    sink: &mut dyn FnMut(&[u8]),
) {
    count(tasks, window, observed);
    for (_, mut task) in alive(tasks) {
        let Some(observed) = observed.get_mut(&task.tid) else {
            continue;
        };
        let waited = task
            .waited_ns
            .saturating_add(std::mem::take(&mut observed.waiting_ns));
        let weight = waited / (period.as_nanos() as u64).max(1);
        if task.off_at_ns == 0 || task.sample.kind != record::SAMPLE || weight == 0 {
            continue;
        }
        let depth = task.sample.depth as usize;
        if task.sample.span != 0 {
            observed.lost += weight;
        } else if depth == 0 && task.sample.flags & record::UNREADABLE != 0 {
            observed.unreadable += weight;
        } else if depth == 0 {
            observed.idle += weight;
        } else if let Some(frames) = task.frames.get(..depth) {
            task.sample.weight = weight.try_into().unwrap_or(u32::MAX);
            task.sample.at_ns = window.until_ns;
            task.sample.flags |= record::WAITED;
            let lasted = window.until_ns.saturating_sub(task.off_at_ns) >> 10;
            task.sample.span = lasted.try_into().unwrap_or(u32::MAX);
            let mut bytes = task.sample.as_bytes().to_vec();
            bytes.extend_from_slice(frames.as_bytes());
            sink(&bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_counts_from_the_beginning_of_the_recording() {
        let window = Window {
            from_ns: 100,
            until_ns: 250,
        };
        assert_eq!(window.since(40), 150);
        assert_eq!(window.since(200), 50);
        assert_eq!(window.since(300), 0);
    }
}
