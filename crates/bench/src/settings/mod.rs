//! What a run is to do: one type, filled from phpbench.json or phperf.toml, a profile, and the command line.

mod file;
mod layers;
mod typed;

pub use layers::{Layers, Source, Sourced};

use crate::{Error, store::Place};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

/// Everything that a run needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder that relative paths start from.
    pub working_dir: PathBuf,
    /// The file that was read, if any.
    pub config_path: Option<PathBuf>,
    /// Files and folders with benchmarks.
    pub paths: Vec<PathBuf>,
    /// A script to load before anything else.
    pub bootstrap: Option<PathBuf>,
    /// How PHP is started.
    pub php: Php,
    /// What is a benchmark.
    pub find: Find,
    /// For subjects that say nothing themselves.
    pub defaults: Sampling,
    /// Whatever subjects say themselves.
    pub overrides: Sampling,
    /// Executors by name, as they are configured.
    pub executors: BTreeMap<String, Value>,
    /// Reports by name, as they are configured.
    pub reports: BTreeMap<String, Value>,
    /// Outputs by name, as they are configured.
    pub outputs: BTreeMap<String, Value>,
    /// How progress is shown.
    pub progress: String,
    /// Which groups of values describe the environment.
    pub environment: Option<Vec<String>>,
    /// Whether an iteration is a fork of a warm process or a PHP of its own.
    pub isolation: Isolation,
    /// The state of opcache.
    pub opcache: Opcache,
    /// What counts instructions.
    pub counting: Counting,
    /// How long a sample should take where phperf chooses the number of revolutions.
    pub sample_time: Duration,
    /// Where runs are kept, where the settings say so.
    pub store: Option<Place>,
    /// Whether the first failure ends the run.
    pub stop_on_error: bool,
    /// What was set, to what, and where.
    pub layers: Layers,
    /// What was set and has no effect, one line each.
    pub notes: Vec<String>,
}

/// How PHP is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Php {
    /// The binary.
    pub binary: PathBuf,
    /// ini settings, in their order.
    pub config: Vec<(String, String)>,
    /// Whether php.ini is left unread.
    pub disable_ini: bool,
    /// A command to put in front, split at spaces.
    pub wrapper: Vec<String>,
    /// Environment variables.
    pub env: Vec<(String, String)>,
}

/// What is a benchmark, and which of them to run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Find {
    /// Whether annotations in doc comments are read.
    pub annotations: bool,
    /// Whether annotations have to be imported.
    pub import_use: bool,
    /// Whether attributes are read.
    pub attributes: bool,
    /// Regular expression for the names of subjects.
    pub subject_pattern: String,
    /// Pattern for the names of files.
    pub file_pattern: Option<String>,
    /// Regular expressions, one of which `Class::subject` has to match.
    pub filters: Vec<String>,
    /// Regular expressions, one of which the parameter set's name has to match.
    pub variants: Vec<String>,
    /// Groups, one of which a subject has to be in.
    pub groups: Vec<String>,
    /// Parameters instead of the suite's.
    pub parameters: Option<Map<String, Value>>,
}

/// How subjects are sampled and shown. Each value may be left to the next layer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// Numbers of revolutions.
    pub revs: Option<Vec<u64>>,
    /// Numbers of iterations.
    pub iterations: Option<Vec<u32>>,
    /// Numbers of warm-up revolutions.
    pub warmup: Option<Vec<u64>>,
    /// Distance from the median, in percent, beyond which another sample is taken.
    pub retry_threshold: Option<f64>,
    /// Microseconds between iterations.
    pub sleep: Option<u64>,
    /// Seconds that an iteration may take.
    pub timeout: Option<f64>,
    /// The executor.
    pub executor: Option<ExecutorChoice>,
    /// Assertions.
    pub assert: Option<Vec<String>>,
    /// Expression that a variant's line of progress shows.
    pub format: Option<String>,
    /// Unit of time.
    pub time_unit: Option<String>,
    /// Digits after the point.
    pub precision: Option<u8>,
    /// `time` or `throughput`.
    pub mode: Option<String>,
}

/// An executor by name, with configuration that comes with its choice.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ExecutorChoice {
    /// Its name.
    pub name: String,
    /// What the suite adds to its configuration.
    #[serde(default)]
    pub config: Value,
}

impl ExecutorChoice {
    /// What samples where neither the suite nor the user names an executor.
    pub(crate) fn usual() -> Self {
        Self {
            name: "hrtime".into(),
            config: Value::Null,
        }
    }
}

/// Whether an iteration is a fork of a warm process or a PHP of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// One process per variant, which forks for each iteration.
    #[default]
    Fork,
    /// PHP is started for each iteration.
    Process,
}

/// The state of opcache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opcache {
    /// As PHP's own settings say.
    #[default]
    AsIs,
    /// Off.
    Off,
    /// On, without JIT.
    On,
    /// On, with the tracing JIT.
    Jit,
}

/// What counts instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// The CPU's own counter where there is one, else valgrind's callgrind.
    #[default]
    Auto,
    /// The CPU's own counter.
    Hardware,
    /// Valgrind's callgrind.
    Callgrind,
}

impl Sampling {
    /// These values, and those of `other` where this has none.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        let other = other.clone();
        Self {
            revs: self.revs.or(other.revs),
            iterations: self.iterations.or(other.iterations),
            warmup: self.warmup.or(other.warmup),
            retry_threshold: self.retry_threshold.or(other.retry_threshold),
            sleep: self.sleep.or(other.sleep),
            timeout: self.timeout.or(other.timeout),
            executor: self.executor.or(other.executor),
            assert: self.assert.or(other.assert),
            format: self.format.or(other.format),
            time_unit: self.time_unit.or(other.time_unit),
            precision: self.precision.or(other.precision),
            mode: self.mode.or(other.mode),
        }
    }
}

impl Settings {
    /// Reads the settings for a run in `working_dir`: `config`, or the first of phperf.toml, phpbench.json and
    /// phpbench.json.dist that is there; then `profile`; then `given`, from the command line.
    pub fn load(
        working_dir: &Path,
        config: Option<&Path>,
        profile: Option<&str>,
        given: Vec<(&'static str, Value)>,
    ) -> Result<Self, Error> {
        let config_path = match config {
            Some(path) => Some(working_dir.join(path)),
            None => file::find(working_dir),
        };
        let mut layers = Layers::default();
        if let Some(path) = &config_path {
            for (name, value) in file::read(path)? {
                layers.set(name, value, Source::File(path.clone()));
            }
        }
        if let Some(name) = profile {
            let profiles = layers
                .get("core.profiles")
                .and_then(|found| found.value.as_object());
            let Some(found) = profiles
                .and_then(|profiles| profiles.get(name))
                .and_then(Value::as_object)
            else {
                let known: Vec<_> = profiles
                    .into_iter()
                    .flat_map(|profiles| profiles.keys().cloned())
                    .collect();
                return Err(Error::Profile {
                    name: name.into(),
                    known: if known.is_empty() {
                        "none".into()
                    } else {
                        known.join(", ")
                    },
                });
            };
            for (key, value) in file::flatten(found.clone()) {
                layers.set(key, value, Source::Profile(name.into()));
            }
        }
        for (name, value) in given {
            layers.set(name, value, Source::CommandLine);
        }
        typed::settings(working_dir, config_path, layers)
    }
}

#[cfg(test)]
mod tests;
