//! What a run of a suite yields, as it is kept, reported and given to other tools.
//!
//! Durations are integer nanoseconds, memory is in bytes. Nothing here computes: figures that are derived from
//! samples are in [`Summary`], which the `statistics` module fills.

mod find;
mod measurement;

pub use measurement::{Measurement, Memory, Sample, Summary};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Version of this shape, as it is written to files.
pub const FORMAT: u32 = 1;

/// A run of a suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Suite {
    /// [`FORMAT`] at the time of writing.
    pub format: u32,
    /// The name that the user gave this run.
    pub tag: Option<String>,
    /// When it began, as seconds since 1970.
    pub started: u64,
    /// Where it ran.
    pub environment: Environment,
    /// The classes, in the order of their files.
    pub classes: Vec<Class>,
    /// What the reader of the figures has to know, one line each.
    pub notes: Vec<String>,
    /// Whether it was interrupted, so that some variants are missing.
    pub partial: bool,
}

/// Where a suite ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Groups of named values, such as `php` with `version`.
    pub groups: Vec<EnvironmentGroup>,
}

/// Values that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentGroup {
    /// Such as `php`.
    pub name: String,
    /// Keys and values, in the order to show them.
    pub values: Vec<(String, String)>,
}

/// The revision that a suite ran on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit<'a> {
    /// Its whole hash.
    pub hash: &'a str,
    /// The branch that was checked out.
    pub branch: Option<&'a str>,
    /// The first line of its message.
    pub subject: Option<&'a str>,
    /// When it was made, as `2026-11-22T01:37:36+02:00`.
    pub date: Option<&'a str>,
    /// Whether files were not as the revision has them.
    pub changed: bool,
}

/// A benchmark class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Its full name, or the file's name where no class could be read.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Its subjects, in the order of their methods.
    pub subjects: Vec<Subject>,
    /// Why none of its subjects could be run.
    pub failure: Option<Failure>,
}

/// A method that is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// The method's name.
    pub name: String,
    /// The groups it is in.
    pub groups: Vec<String>,
    /// The executor that measured it.
    pub executor: String,
    /// What its samples count.
    pub metric: Metric,
    /// How to show its times.
    pub display: Display,
    /// One for each parameter set and each number of revolutions, iterations and warm-up revolutions.
    pub variants: Vec<Variant>,
    /// Why none of its variants could be run.
    pub failure: Option<Failure>,
}

/// What a sample counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Nanoseconds on the clock.
    #[default]
    Time,
    /// Nanoseconds that the process spent on a CPU.
    Cpu,
    /// Instructions that ran.
    Instructions,
}

/// How a subject wants its times shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Display {
    /// Such as `milliseconds`; without, what fits the figure.
    pub unit: Option<String>,
    /// Digits after the point.
    pub precision: Option<u8>,
    /// Whether revolutions per unit of time are shown instead of time.
    pub throughput: bool,
}

/// A subject with a parameter set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// The parameter set's name; empty without parameters.
    pub set: String,
    /// The parameters, as JSON can show them.
    pub parameters: serde_json::Value,
    /// Calls within a sample.
    pub revolutions: u64,
    /// Whether the number of revolutions was found by phperf, as the suite names none.
    pub automatic: bool,
    /// Calls before the first sample, in each iteration.
    pub warmup: u64,
    /// Samples that were asked for.
    pub iterations: u32,
    /// What came of it.
    pub outcome: Outcome,
    /// Assertions on it, with their results.
    pub assertions: Vec<Assertion>,
    /// The figures of the same variant in the run that it was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Summary>,
}

/// What came of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was measured.
    Measured(Box<Measurement>),
    /// It was not, or not to the end.
    Failed(Failure),
}

/// Why something could not be measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// One line: cause and, where there is one, cure.
    pub message: String,
    /// More lines, such as a trace.
    pub detail: Option<String>,
}

impl Failure {
    /// Without details. Only the first line of `message` is kept.
    pub fn new(message: impl AsRef<str>) -> Self {
        Self {
            message: message.as_ref().lines().next().unwrap_or_default().to_owned(),
            detail: None,
        }
    }
}

/// An assertion of the suite or of the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// As it is written.
    pub expression: String,
    /// What came of it.
    pub verdict: Verdict,
    /// The expression with its values, or why it could not be evaluated.
    pub message: String,
}

/// What came of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Passed,
    /// It holds only within the tolerance it names.
    Tolerated,
    /// It does not hold.
    Failed,
    /// It speaks of a baseline, and there is none.
    Unchecked,
    /// It makes no sense, or needs what is not there.
    Error,
}

impl Verdict {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Tolerated => "tolerated",
            Self::Failed => "failed",
            Self::Unchecked => "unchecked",
            Self::Error => "error",
        }
    }

    /// Whether a run with it has failed.
    pub const fn is_broken(self) -> bool {
        matches!(self, Self::Failed | Self::Error)
    }
}
