//! A CPU to measure on.

use crate::UsageError;
use anyhow::Result;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread, and whatever it starts, on one CPU.
pub fn to(cpu: usize) -> Result<()> {
    let allowed = sched_getaffinity(None)?;
    if cpu >= CpuSet::MAX_CPU || !allowed.is_set(cpu) {
        let list: Vec<String> = (0..CpuSet::MAX_CPU)
            .filter(|&cpu| allowed.is_set(cpu))
            .map(|cpu| cpu.to_string())
            .collect();
        let message = format!("CPU {cpu} may not be used: there are {}", list.join(", "));
        return Err(UsageError(message).into());
    }
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only)?;
    Ok(())
}
