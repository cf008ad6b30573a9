//! Values become settings.

use super::{Counting, ExecutorChoice, Find, Isolation, Layers, Opcache, Php, Sampling, Settings, Source};
use crate::{Error, store::Place};
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

/// How long a sample should take where phperf chooses the number of revolutions: long enough to make the clock's
/// own cost a hundred-thousandth, short enough for many samples.
const SAMPLE_TIME: Duration = Duration::from_millis(5);

/// Settings of `PHPBench` that name its own PHP classes, or what has no equivalent here. The reader is told.
const WITHOUT_EFFECT: [&str; 6] = [
    "core.extensions",
    "runner.remote_script_path",
    "runner.remote_script_remove",
    "runner.env_samplers",
    "runner.env_sampler_callables",
    "report.components",
];

/// Prefixes and names that are read elsewhere, or that only change how `PHPBench` itself looks.
const KNOWN_ELSEWHERE: [&str; 6] = [
    "$schema",
    "console.",
    "expression.",
    "storage.",
    "report.",
    "core.",
];

const KNOWN: [&str; 34] = [
    "runner.annotations",
    "runner.annotation_import_use",
    "runner.assert",
    "runner.attributes",
    "runner.bootstrap",
    "runner.counter",
    "runner.env_enabled_providers",
    "runner.executor",
    "runner.executors",
    "runner.file_pattern",
    "runner.format",
    "runner.isolation",
    "runner.iterations",
    "runner.opcache",
    "runner.output_mode",
    "runner.path",
    "runner.php_binary",
    "runner.php_config",
    "runner.php_disable_ini",
    "runner.php_env",
    "runner.php_wrapper",
    "runner.precision",
    "runner.progress",
    "runner.progress_summary_baseline_format",
    "runner.progress_summary_variant_format",
    "runner.retry_threshold",
    "runner.revs",
    "runner.sample_time",
    "runner.sleep",
    "runner.stop_on_error",
    "runner.subject_pattern",
    "runner.time_unit",
    "runner.timeout",
    "runner.warmup",
];

pub(super) fn settings(
    working_dir: &Path,
    config_path: Option<PathBuf>,
    layers: Layers,
) -> Result<Settings, Error> {
    let read = Reader(&layers);
    let base = config_path
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(working_dir);
    Ok(Settings {
        working_dir: working_dir.into(),
        paths: paths(&layers, working_dir, base)?,
        bootstrap: read.text("runner.bootstrap")?.map(|path| {
            let from_file = layers
                .get("runner.bootstrap")
                .is_some_and(|found| !matches!(found.source, Source::CommandLine));
            if from_file {
                base.join(path)
            } else {
                working_dir.join(path)
            }
        }),
        php: php(&read, working_dir)?,
        find: find(&read)?,
        defaults: sampling(&read, "runner.")?,
        overrides: sampling(&read, "given.")?,
        executors: read.map("runner.executors")?,
        reports: read.map("report.generators")?,
        outputs: read.map("report.outputs")?,
        progress: read.text("runner.progress")?.unwrap_or_else(|| "verbose".into()),
        environment: read.texts("runner.env_enabled_providers")?,
        isolation: read
            .one_of(
                "runner.isolation",
                "fork or process",
                &[("fork", Isolation::Fork), ("process", Isolation::Process)],
            )?
            .unwrap_or_default(),
        opcache: read
            .one_of(
                "runner.opcache",
                "as-is, off, on or jit",
                &[
                    ("as-is", Opcache::AsIs),
                    ("off", Opcache::Off),
                    ("on", Opcache::On),
                    ("jit", Opcache::Jit),
                ],
            )?
            .unwrap_or_default(),
        counting: read
            .one_of(
                "runner.counter",
                "auto, hardware or callgrind",
                &[
                    ("auto", Counting::Auto),
                    ("hardware", Counting::Hardware),
                    ("callgrind", Counting::Callgrind),
                ],
            )?
            .unwrap_or_default(),
        sample_time: read
            .0
            .read_with(
                "runner.sample_time",
                "milliseconds between 0.001 and 600000",
                |value| {
                    let milliseconds = value.as_f64().filter(|time| (0.001..=600_000.0).contains(time))?;
                    Some(Duration::from_secs_f64(milliseconds / 1000.0))
                },
            )?
            .unwrap_or(SAMPLE_TIME),
        store: store(&layers, base)?,
        stop_on_error: read.flag("runner.stop_on_error", false)?,
        notes: notes(&layers),
        config_path,
        layers,
    })
}

/// Where runs are kept. A profile's word is the last, whichever of the two settings it names; else a URL goes before a file.
fn store(layers: &Layers, base: &Path) -> Result<Option<Place>, Error> {
    let read = Reader(layers);
    let (url, file) = (read.text("storage.url")?, read.text("storage.file")?);
    let is_of_profile = |name| {
        layers
            .get(name)
            .is_some_and(|found| matches!(found.source, Source::Profile(_)))
    };
    let file = file.map(|file| Place::File(base.join(file)));
    let url = url.map(Place::Url);
    Ok(
        if is_of_profile("storage.file") && !is_of_profile("storage.url") {
            file
        } else {
            url.or(file)
        },
    )
}

fn paths(layers: &Layers, working_dir: &Path, base: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = Reader(layers);
    if let Some(paths) = read.texts("given.path")? {
        return Ok(paths.iter().map(|path| working_dir.join(path)).collect());
    }
    let paths = read.texts("runner.path")?.unwrap_or_default();
    Ok(paths.iter().map(|path| base.join(path)).collect())
}

fn php(read: &Reader, working_dir: &Path) -> Result<Php, Error> {
    let binary = PathBuf::from(read.text("runner.php_binary")?.unwrap_or_else(|| "php".into()));
    Ok(Php {
        // A name is looked for in PATH, a path starts from the folder of the run.
        binary: if binary.components().count() > 1 {
            working_dir.join(binary)
        } else {
            binary
        },
        config: read.pairs("runner.php_config")?,
        disable_ini: read.flag("runner.php_disable_ini", false)?,
        wrapper: read
            .text("runner.php_wrapper")?
            .map(|wrapper| wrapper.split_whitespace().map(str::to_owned).collect())
            .unwrap_or_default(),
        env: read.pairs("runner.php_env")?,
    })
}

fn find(read: &Reader) -> Result<Find, Error> {
    Ok(Find {
        annotations: read.flag("runner.annotations", true)?,
        import_use: read.flag("runner.annotation_import_use", false)?,
        attributes: read.flag("runner.attributes", true)?,
        subject_pattern: read
            .text("runner.subject_pattern")?
            .unwrap_or_else(|| "^bench".into()),
        file_pattern: read.text("runner.file_pattern")?,
        filters: read.texts("given.filter")?.unwrap_or_default(),
        variants: read.texts("given.variant")?.unwrap_or_default(),
        groups: read.texts("given.group")?.unwrap_or_default(),
        parameters: read.0.read("given.parameters", "an object of parameters")?,
    })
}

fn sampling(read: &Reader, prefix: &str) -> Result<Sampling, Error> {
    let name = |key: &str| format!("{prefix}{key}");
    let executor = name("executor");
    Ok(Sampling {
        revs: read.numbers(&name("revs"))?,
        iterations: read.numbers(&name("iterations"))?,
        warmup: read.numbers(&name("warmup"))?,
        retry_threshold: read.0.read(&name("retry_threshold"), "a number of percent")?,
        sleep: read.0.read(&name("sleep"), "a number of microseconds")?,
        timeout: read.0.read(&name("timeout"), "a number of seconds")?,
        executor: read
            .0
            .read_with(&executor, "the name of an executor", |value| match value {
                Value::String(name) => Some(ExecutorChoice {
                    name: name.clone(),
                    config: Value::Null,
                }),
                // The list of units itself, as the draft of PHPBench's composable executor has it.
                Value::Array(_) => Some(ExecutorChoice {
                    name: "composed".into(),
                    config: serde_json::json!({ "units": value }),
                }),
                _ => None,
            })?,
        assert: read.texts(&name("assert"))?,
        format: read.text(&name("format"))?,
        time_unit: read.text(&name("time_unit"))?,
        precision: read.0.read(&name("precision"), "a number of digits")?,
        mode: read
            .one_of(
                &name("output_mode"),
                "time or throughput",
                &[("time", "time"), ("throughput", "throughput")],
            )?
            .map(str::to_owned),
    })
}

fn notes(layers: &Layers) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, found) in layers.iter() {
        let empty = found.value.as_array().is_some_and(Vec::is_empty);
        if WITHOUT_EFFECT.contains(&name) && !empty {
            notes.push(format!("{name} has no effect in phperf ({})", found.source));
        } else if !KNOWN.contains(&name)
            && !WITHOUT_EFFECT.contains(&name)
            && !name.starts_with("given.")
            && !KNOWN_ELSEWHERE.iter().any(|prefix| name.starts_with(prefix))
        {
            notes.push(format!(
                "{name} is no setting that phperf knows ({})",
                found.source
            ));
        }
    }
    notes
}

/// Reads values of the usual shapes.
struct Reader<'a>(&'a Layers);

impl Reader<'_> {
    fn text(&self, name: &str) -> Result<Option<String>, Error> {
        self.0.read(name, "a text")
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool, Error> {
        Ok(self.0.read(name, "true or false")?.unwrap_or(default))
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Error> {
        self.0
            .read_with(name, "a text or a list of texts", |value| match value {
                Value::String(text) => Some(vec![text.clone()]),
                Value::Array(values) => values
                    .iter()
                    .map(|value| value.as_str().map(str::to_owned))
                    .collect(),
                _ => None,
            })
    }

    fn numbers<T: TryFrom<u64>>(&self, name: &str) -> Result<Option<Vec<T>>, Error> {
        self.0
            .read_with(name, "a whole number or a list of them", |value| {
                let one = |value: &Value| value.as_u64().and_then(|number| T::try_from(number).ok());
                match value {
                    Value::Array(values) => values.iter().map(one).collect(),
                    value => one(value).map(|number| vec![number]),
                }
            })
    }

    fn map(&self, name: &str) -> Result<BTreeMap<String, Value>, Error> {
        Ok(match self.0.get(name).map(|found| &found.value) {
            // An empty map is written by PHP as an empty list.
            Some(Value::Array(values)) if values.is_empty() => BTreeMap::new(),
            _ => self.0.read(name, "an object")?.unwrap_or_default(),
        })
    }

    /// Names and values as ini files and environments have them.
    fn pairs(&self, name: &str) -> Result<Vec<(String, String)>, Error> {
        let scalar = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Bool(flag) => Some(u8::from(*flag).to_string()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null => Some(String::new()),
            _ => None,
        };
        let pairs = |values: &Map<String, Value>| -> Option<Vec<(String, String)>> {
            let mut pairs = Vec::new();
            for (key, value) in values {
                match value {
                    // One name with several values, such as `extension`.
                    Value::Array(several) => {
                        for value in several {
                            pairs.push((key.clone(), scalar(value)?));
                        }
                    }
                    value => pairs.push((key.clone(), scalar(value)?)),
                }
            }
            Some(pairs)
        };
        let found = self
            .0
            .read_with(name, "an object of names and values", |value| match value {
                Value::Object(values) => pairs(values),
                Value::Array(values) if values.is_empty() => Some(Vec::new()),
                _ => None,
            })?;
        Ok(found.unwrap_or_default())
    }

    /// What one of these names stands for.
    fn one_of<T: Copy>(&self, name: &str, what: &str, known: &[(&str, T)]) -> Result<Option<T>, Error> {
        self.0.read_with(name, what, |value| {
            let named = value.as_str()?;
            known
                .iter()
                .find(|(one, _)| *one == named)
                .map(|(_, found)| *found)
        })
    }
}
