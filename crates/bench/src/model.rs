//! What a run of a suite yields, as it is kept, reported and given to other tools.
//!
//! Durations are integer nanoseconds, memory is in bytes. Nothing here computes: figures that are derived from
//! samples are in [`Summary`], which the `statistics` module fills.

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

/// The samples of a variant, all of them, and what is derived from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// In the order in which they were taken.
    pub samples: Vec<Sample>,
    /// Figures per revolution.
    pub summary: Summary,
}

/// One iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Which of the iterations that were asked for it belongs to, from 0.
    pub iteration: u32,
    /// Calls in it.
    pub revolutions: u64,
    /// What the clock or counter said, for all revolutions.
    pub raw: i64,
    /// What of that is not the subject's: the clock, the loop and the call, as an empty subject costs them in
    /// the same process.
    pub overhead: i64,
    /// The cost of the clock, or counter, alone in that process.
    pub clock: i64,
    /// What an empty subject cost there, per revolution.
    pub empty: f64,
    /// Memory at its end.
    pub memory: Option<Memory>,
    /// Whether it lies outside the retry threshold, so that another one was taken. It counts all the same.
    pub retried: bool,
}

impl Sample {
    /// The subject's own cost, for all revolutions; may be negative for a subject that does nothing.
    pub const fn net(&self) -> i64 {
        self.raw - self.overhead
    }

    /// The subject's own cost per revolution.
    pub fn per_revolution(&self) -> f64 {
        self.net() as f64 / self.revolutions.max(1) as f64
    }
}

/// Memory of the process of an iteration, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The most that was in use at a time.
    pub peak: u64,
    /// What was taken from the system at the end.
    pub real: u64,
    /// What was in use at the end.
    pub r#final: u64,
}

/// Figures per revolution, in the unit of the subject's [`Metric`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The middle sample.
    pub median: f64,
    /// The median's bootstrap interval.
    pub interval: (f64, f64),
    /// The probability that the interval reaches: 0.99, or less where there are too few samples.
    pub level: f64,
    /// The median of the distances from the median.
    pub mad: f64,
    /// The top of a Gaussian kernel density estimate, as `PHPBench` computes it.
    pub mode: f64,
    /// The average.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// Standard deviation, of the population.
    pub stdev: f64,
    /// Standard deviation in percent of the mean.
    pub rstdev: f64,
    /// Samples that lie far from the others.
    pub outliers: usize,
    /// Tops of the distribution; more than one means that the subject has several speeds.
    pub modes: usize,
    /// Whether the subject costs no more than an empty one.
    pub no_op: bool,
    /// What an empty subject costs per revolution; the median of the samples' own.
    pub empty: f64,
    /// What the clock costs; the median of the samples' own.
    pub clock: f64,
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

impl Variant {
    /// The samples and figures, where there are any.
    pub fn measurement(&self) -> Option<&Measurement> {
        match &self.outcome {
            Outcome::Measured(measurement) => Some(measurement),
            Outcome::Failed(_) => None,
        }
    }
}

impl Suite {
    /// Every variant with its class and subject.
    pub fn variants(&self) -> impl Iterator<Item = (&Class, &Subject, &Variant)> {
        self.classes.iter().flat_map(|class| {
            class.subjects.iter().flat_map(move |subject| {
                subject
                    .variants
                    .iter()
                    .map(move |variant| (class, subject, variant))
            })
        })
    }

    /// Everything that failed: where, and why.
    pub fn failures(&self) -> Vec<(String, &Failure)> {
        let mut failures = Vec::new();
        for class in &self.classes {
            failures.extend(class.failure.iter().map(|failure| (class.name.clone(), failure)));
            for subject in &class.subjects {
                let name = format!("{}::{}", class.name, subject.name);
                failures.extend(subject.failure.iter().map(|failure| (name.clone(), failure)));
                for variant in &subject.variants {
                    if let Outcome::Failed(failure) = &variant.outcome {
                        let set = if variant.set.is_empty() {
                            String::new()
                        } else {
                            format!(" # {}", variant.set)
                        };
                        failures.push((format!("{name}{set}"), failure));
                    }
                }
            }
        }
        failures
    }
}
