//! The machine on which figures are taken.

use std::fs;

/// The head of results in Markdown: a title, the machine, what is compared on it (sentences), and the load at the start.
pub fn head(title: &str, what: &str) -> String {
    format!(
        "# {title}\n\n{}. {what} Load of the machine when this began: {}.\n",
        describe(),
        load()
    )
}

/// Kernel, processor and number of CPUs, in one line.
fn describe() -> String {
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
