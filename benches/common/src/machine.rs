//! The machine on which figures are taken.

use std::fs;

/// Kernel, processor and number of CPUs, in one line.
pub fn describe() -> String {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("an unknown processor", |(_, model)| model.trim());
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{count} CPUs of {model}, Linux {} on {}",
        kernel.trim(),
        std::env::consts::ARCH
    )
}

/// How many tasks wanted to run in the last minute.
pub fn load() -> f64 {
    fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .unwrap_or(f64::NAN)
}
