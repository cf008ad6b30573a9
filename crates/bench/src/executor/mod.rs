//! Executors: how samples are taken. Each is a tree of units, from which a script is generated for each variant.

mod render;
mod unit;

pub(crate) use render::{Code, ZYGOTE, hooks};
pub use unit::Unit;

use crate::{
    Error,
    model::Metric,
    settings::{ExecutorChoice, Settings},
};
use serde_json::{Value, json};
use std::path::Path;

/// A way to take samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executor {
    /// Its name.
    pub name: String,
    /// What its samples count.
    pub metric: Metric,
    /// The script's pieces.
    pub units: Vec<Unit>,
}

/// Executors by name: their own one first, then the names that `PHPBench` has for what comes closest.
const NAMES: [(&str, &[&str]); 7] = [
    ("hrtime", &["remote", "local"]),
    ("hrtime_no_loop", &[]),
    ("microtime", &[]),
    ("memory", &["memory_centric_microtime"]),
    ("cpu", &[]),
    ("instructions", &[]),
    ("profile", &[]),
];

/// How far a configured executor may be based on another one.
const MAX_BASES: usize = 8;

fn units_of(name: &str) -> Value {
    let timed = |sampler: &str| {
        json!([
            "before_methods",
            "warmup",
            sampler,
            ["rev_loop", ["call_subject"]],
            "after_methods",
            "memory_sampler"
        ])
    };
    match name {
        "hrtime_no_loop" => {
            json!([
                "before_methods",
                "warmup",
                "hrtime_sampler",
                ["call_subject"],
                "after_methods",
                "memory_sampler"
            ])
        }
        "microtime" => timed("microtime_sampler"),
        "cpu" => timed("cpu_sampler"),
        "profile" => timed("profile_sampler"),
        // Peak and end are the subject's: taken before the methods after it, from where it began.
        "memory" => json!([
            "before_methods",
            "warmup",
            "memory_reset",
            "hrtime_sampler",
            ["rev_loop", ["call_subject"]],
            "memory_sampler",
            "after_methods"
        ]),
        // The counting is done from outside.
        "instructions" => json!([
            "before_methods",
            "warmup",
            "instructions_sampler",
            ["rev_loop", ["call_subject"]],
            "after_methods"
        ]),
        _ => timed("hrtime_sampler"),
    }
}

impl Executor {
    /// The executor that was chosen, with what `settings` say of it.
    pub fn new(choice: &ExecutorChoice, settings: &Settings) -> Result<Self, Error> {
        let folder = settings
            .config_path
            .as_deref()
            .and_then(Path::parent)
            .unwrap_or(&settings.working_dir);
        let wrong = |reason: String| Error::Executor {
            name: choice.name.clone(),
            reason,
        };
        let (mut units, mut metric) = (choice.config.get("units"), choice.config.get("metric"));
        let mut base = choice.name.as_str();
        for _ in 0..MAX_BASES {
            let Some(configured) = settings.executors.get(base) else {
                break;
            };
            units = units.or_else(|| configured.get("units"));
            metric = metric.or_else(|| configured.get("metric"));
            let next = configured
                .get("executor")
                .and_then(Value::as_str)
                .unwrap_or("hrtime");
            if next == base {
                break;
            }
            base = next;
        }
        let known = NAMES
            .iter()
            .find(|(name, others)| *name == base || others.contains(&base));
        let name = match known {
            Some((name, _)) => *name,
            None if units.is_some() => "hrtime",
            None => {
                let mut known: Vec<_> = NAMES.iter().map(|(name, _)| *name).collect();
                known.extend(settings.executors.keys().map(String::as_str));
                return Err(wrong(format!(
                    "there is no such executor; there are {}",
                    known.join(", ")
                )));
            }
        };
        let metric = match metric.map(Value::as_str) {
            None if name == "cpu" => Metric::Cpu,
            None if name == "instructions" => Metric::Instructions,
            None | Some(Some("time")) => Metric::Time,
            Some(Some("cpu")) => Metric::Cpu,
            Some(_) => return Err(wrong("its metric has to be time or cpu".into())),
        };
        Ok(Self {
            name: if base == choice.name && known.is_some() {
                name.into()
            } else {
                choice.name.clone()
            },
            metric,
            units: unit::parse(&choice.name, units.unwrap_or(&units_of(name)), folder)?,
        })
    }

    /// Whether stacks are recorded while the subject runs.
    pub fn profiles(&self) -> bool {
        self.units.iter().any(Unit::profiles)
    }

    /// Whether its loop can be counted by itself, without what is around it.
    pub(crate) fn counts(&self) -> bool {
        self.units.iter().any(Unit::counts)
    }

    /// Whether the subject is called more than once in a sample.
    pub fn loops(&self) -> bool {
        self.units.iter().any(|unit| unit.calls() && unit.loops())
    }
}

#[cfg(test)]
mod tests;
