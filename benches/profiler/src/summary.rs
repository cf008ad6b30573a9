//! The part of phperf's `--summary-json` that is compared.

use anyhow::{Context, Result};
use serde_json::Value;
use std::{fs, path::Path};

/// phperf's own account of a recording, summed over its targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The source that took the stacks.
    pub source: String,
    /// CPU time of its programs in the kernel, where it says so.
    pub kernel_cpu_ns: Option<f64>,
    /// Ticks that were due, by its own reckoning.
    pub due: f64,
    /// Stacks on a CPU.
    pub on_cpu: f64,
    /// Stacks of targets that waited for a CPU.
    pub runnable: f64,
    /// Stacks of targets that waited for something else.
    pub blocked: f64,
    /// Ticks with no PHP code running.
    pub idle: f64,
    /// How many targets it found.
    pub targets: usize,
}

impl Summary {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("no summary at {}", path.display()))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(text).context("the summary is not JSON")?;
        let total = |name: &str| {
            json["total"][name]
                .as_f64()
                .with_context(|| format!("the summary has no total.{name}"))
        };
        Ok(Self {
            source: json["source"].as_str().unwrap_or_default().into(),
            kernel_cpu_ns: json["kernel_cpu_ns"].as_f64(),
            due: total("due")?,
            on_cpu: total("on_cpu")?,
            runnable: total("runnable")?,
            blocked: total("blocked")?,
            idle: total("idle")?,
            targets: json["targets"].as_array().map_or(0, Vec::len),
        })
    }

    /// Ticks that gave a stack.
    pub fn taken(&self) -> f64 {
        self.on_cpu + self.runnable + self.blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_phperf_writes() {
        let text = r#"{"source":"kernel","why_not_kernel":null,"period_ns":1001001,"duration_ns":1,
            "own_cpu_ns":1,"kernel_cpu_ns":7,"total":{"due":10,"on_cpu":4,"runnable":1,"blocked":2,"idle":3,
            "missed":0,"lost":0,"unreadable":0,"cut":0,"retried":0},"targets":[{"pid":1}]}"#;
        let summary = Summary::parse(text).unwrap();
        assert_eq!((summary.taken(), summary.due), (7.0, 10.0));
        assert_eq!((summary.kernel_cpu_ns, summary.targets), (Some(7.0), 1));
        assert!(Summary::parse("{}").is_err());
    }
}
