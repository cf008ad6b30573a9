//! What was typed becomes settings by their names.

use super::args::{Isolation, Opcache, Run};
use crate::UsageError;
use anyhow::Result;
use serde_json::{Value, json};

/// Settings that the command line gives.
pub fn settings(asked: &Run) -> Result<Vec<(&'static str, Value)>> {
    let mut given: Vec<(&'static str, Value)> = Vec::new();
    let mut set = |name, value: Value| {
        // What was not typed leaves the configuration as it is.
        let typed = match &value {
            Value::Null | Value::Bool(false) => false,
            Value::Array(values) => !values.is_empty(),
            _ => true,
        };
        if typed {
            given.push((name, value));
        }
    };
    set("given.path", json!(asked.paths));
    set("runner.bootstrap", json!(asked.bootstrap));
    set("given.filter", json!(asked.filter));
    set("given.variant", json!(asked.variant));
    set("given.group", json!(asked.group));
    set(
        "given.parameters",
        object("--parameters", asked.parameters.as_deref())?,
    );
    set("given.revs", json!(asked.revs));
    set("given.iterations", json!(asked.iterations));
    set("given.warmup", json!(asked.warmup));
    set("given.retry_threshold", json!(asked.retry_threshold));
    set("given.sleep", json!(asked.sleep));
    set("given.executor", json!(asked.executor));
    set("given.assert", json!(asked.assert));
    set("given.format", json!(asked.format));
    set("given.time_unit", json!(asked.time_unit));
    set("given.precision", json!(asked.precision));
    set("given.output_mode", json!(asked.mode));
    set("runner.php_binary", json!(asked.php_binary));
    set(
        "runner.php_config",
        object("--php-config", asked.php_config.as_deref())?,
    );
    set("runner.php_wrapper", json!(asked.php_wrapper));
    set("runner.php_disable_ini", json!(asked.php_disable_ini));
    set("runner.progress", json!(asked.progress));
    set("runner.stop_on_error", json!(asked.stop_on_error));
    let isolation = asked.isolation.map(|isolation| match isolation {
        Isolation::Fork => "fork",
        Isolation::Process => "process",
    });
    set("runner.isolation", json!(isolation));
    let opcache = asked.opcache.map(|opcache| match opcache {
        Opcache::AsIs => "as-is",
        Opcache::Off => "off",
        Opcache::On => "on",
        Opcache::Jit => "jit",
    });
    set("runner.opcache", json!(opcache));
    Ok(given)
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
