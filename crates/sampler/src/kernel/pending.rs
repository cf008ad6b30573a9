//! What the programs still hold at the end: counters, and the stacks of tasks that have not come back.

use super::config::{Task, TaskBytes};
use crate::{Observed, record};
use aya::maps::{HashMap as BpfMap, MapData};
use std::{collections::HashMap, time::Duration};
use zerocopy::{IntoBytes, transmute};

/// Adds each live task's counters to `observed`, and how long it has been waiting.
pub fn count(tasks: &BpfMap<MapData, u64, TaskBytes>, now: u64, observed: &mut HashMap<u32, Observed>) {
    for task in tasks
        .iter()
        .filter_map(Result::ok)
        .map(|(_, bytes)| -> Task { transmute!(bytes) })
    {
        let Some(observed) = observed.get_mut(&task.pid) else {
            continue;
        };
        observed.idle += task.idle;
        observed.lost += task.lost;
        observed.unreadable += task.unreadable;
        if task.off_at_ns != 0 {
            observed.waiting_ns = now.saturating_sub(task.off_at_ns);
        }
    }
}

/// The same, and hands each task's current wait to `sink` as a record.
pub fn collect(
    tasks: &BpfMap<MapData, u64, TaskBytes>,
    period: Duration,
    now: u64,
    observed: &mut HashMap<u32, Observed>,
    sink: &mut dyn FnMut(&[u8]),
) {
    count(tasks, now, observed);
    for mut task in tasks
        .iter()
        .filter_map(Result::ok)
        .map(|(_, bytes)| -> Task { transmute!(bytes) })
    {
        let Some(observed) = observed.get_mut(&task.pid) else {
            continue;
        };
        let waited = task
            .waited_ns
            .saturating_add(std::mem::take(&mut observed.waiting_ns));
        let weight = waited / (period.as_nanos() as u64).max(1);
        if task.off_at_ns == 0 || weight == 0 {
            continue;
        }
        let depth = task.sample.depth as usize;
        if task.sample.pad2 != 0 {
            observed.lost += weight;
        } else if depth == 0 && task.sample.flags & record::UNREADABLE != 0 {
            observed.unreadable += weight;
        } else if depth == 0 {
            observed.idle += weight;
        } else if let Some(frames) = task.frames.get(..depth) {
            task.sample.weight = weight.try_into().unwrap_or(u32::MAX);
            task.sample.at_ns = now;
            let mut bytes = task.sample.as_bytes().to_vec();
            bytes.extend_from_slice(frames.as_bytes());
            sink(&bytes);
        }
    }
}
