//! What was typed becomes settings by their names.

use super::args::{Base, Counter, How, Isolation, Opcache, Run, Which};
use crate::UsageError;
use anyhow::{Context, Result};
use bench::Settings;
use serde_json::{Value, json};
use std::{
    env,
    path::{Path, PathBuf},
};

/// Settings by their names, as far as they were typed.
#[derive(Default)]
pub struct Given(Vec<(&'static str, Value)>);

impl Given {
    /// Those of every verb that samples.
    pub fn new(which: &Which, how: &How) -> Result<Self> {
        let mut given = Self::default();
        given.set("given.path", json!(which.paths));
        given.set("runner.bootstrap", json!(which.bootstrap));
        given.set("given.filter", json!(which.filter));
        given.set("given.variant", json!(which.variant));
        given.set("given.group", json!(which.group));
        given.set(
            "given.parameters",
            object("--parameters", which.parameters.as_deref())?,
        );
        given.set("given.revs", json!(how.revs));
        given.set("given.warmup", json!(how.warmup));
        given.set("given.executor", json!(how.executor));
        given.set("runner.php_wrapper", json!(how.php_wrapper));
        given.set("runner.php_disable_ini", json!(how.php_disable_ini));
        let counter = how.counter.map(|counter| match counter {
            Counter::Auto => "auto",
            Counter::Hardware => "hardware",
            Counter::Callgrind => "callgrind",
        });
        given.set("runner.counter", json!(counter));
        let opcache = how.opcache.map(|opcache| match opcache {
            Opcache::AsIs => "as-is",
            Opcache::Off => "off",
            Opcache::On => "on",
            Opcache::Jit => "jit",
        });
        given.set("runner.opcache", json!(opcache));
        Ok(given)
    }

    /// Sets one. What was not typed leaves the configuration as it is.
    pub fn set(&mut self, name: &'static str, value: Value) {
        let typed = match &value {
            Value::Null | Value::Bool(false) => false,
            Value::Array(values) => !values.is_empty(),
            _ => true,
        };
        if typed {
            self.0.push((name, value));
        }
    }

    /// The PHP and its ini settings.
    pub fn php(&mut self, binary: Option<&str>, config: Option<&str>) -> Result<()> {
        self.set("runner.php_binary", json!(binary));
        self.set("runner.php_config", object("--php-config", config)?);
        Ok(())
    }

    /// Reads the settings of a run that starts from `folder`.
    pub fn load(self, folder: &Path, base: &Base) -> Result<Settings, bench::Error> {
        Settings::load(folder, base.config.as_deref(), base.profile.as_deref(), self.0)
    }
}

/// The settings of `bench run`.
pub fn run(asked: &Run, folder: &Path) -> Result<Settings> {
    let mut given = Given::new(&asked.which, &asked.how)?;
    given.php(asked.php_binary.as_deref(), asked.php_config.as_deref())?;
    given.set("given.iterations", json!(asked.iterations));
    given.set("given.retry_threshold", json!(asked.retry_threshold));
    given.set("given.sleep", json!(asked.sleep));
    given.set("given.assert", json!(asked.assert));
    given.set("given.format", json!(asked.format));
    given.set("given.time_unit", json!(asked.time_unit));
    given.set("given.precision", json!(asked.precision));
    given.set("given.output_mode", json!(asked.mode));
    given.set("runner.progress", json!(asked.progress));
    given.set("runner.stop_on_error", json!(asked.stop_on_error));
    let isolation = asked.isolation.map(|isolation| match isolation {
        Isolation::Fork => "fork",
        Isolation::Process => "process",
    });
    given.set("runner.isolation", json!(isolation));
    Ok(given.load(folder, &asked.which.base)?)
}

/// The folder that phperf was started in: what is typed is looked for from here.
pub fn current() -> Result<PathBuf> {
    env::current_dir().context("cannot find the current folder")
}

/// The folder to start from: what is configured is looked for from here.
pub fn folder(base: &Base) -> Result<PathBuf> {
    let current = current()?;
    Ok(match &base.working_dir {
        Some(folder) => current.join(folder),
        None => current,
    })
}

fn object(option: &str, text: Option<&str>) -> Result<Value> {
    let Some(text) = text else { return Ok(Value::Null) };
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        _ => Err(UsageError(format!(
            "{option} has to be an object of JSON, such as {{\"name\": 1}}"
        ))
        .into()),
    }
}
