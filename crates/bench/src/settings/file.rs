//! Files of settings: phpbench.json with its includes, and phperf.toml.

use crate::Error;
use serde_json::{Map, Value};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Names that are looked for; the first that is there is read.
const NAMES: [&str; 3] = ["phperf.toml", "phpbench.json", "phpbench.json.dist"];
/// How deep files may include each other.
const MAX_DEPTH: usize = 16;
/// Length of a file, in bytes.
const MAX_LENGTH: u64 = 4 << 20;

/// The file of settings of a folder.
pub(super) fn find(folder: &Path) -> Option<PathBuf> {
    NAMES
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
}

/// The values of a file, by their dotted names.
pub(super) fn read(path: &Path) -> Result<Map<String, Value>, Error> {
    load(path, 0)
}

fn load(path: &Path, depth: usize) -> Result<Map<String, Value>, Error> {
    let broken = |reason: String| Error::Config {
        path: path.into(),
        reason,
    };
    if depth > MAX_DEPTH {
        return Err(broken(format!(
            "files include each other more than {MAX_DEPTH} deep"
        )));
    }
    let unreadable = |source| Error::Read {
        path: path.into(),
        source,
    };
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_LENGTH {
        return Err(broken(format!("it is longer than {} MB", MAX_LENGTH >> 20)));
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let value: Value = if path.extension().is_some_and(|extension| extension == "toml") {
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| {
                text[..span.start.min(text.len())].matches('\n').count() + 1
            });
            broken(format!("line {line}: {}", error.message()))
        })?
    } else {
        serde_json::from_str(&text).map_err(|error| broken(format!("it is no JSON: {error}")))?
    };
    let Value::Object(values) = value else {
        return Err(broken("it has to be one object of settings".into()));
    };
    include(path, flatten(values), depth)
}

/// Adds what `$include` and `$include-glob` name: maps are merged, other values of the including file win.
fn include(path: &Path, mut values: Map<String, Value>, depth: usize) -> Result<Map<String, Value>, Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut files = Vec::new();
    for name in texts(values.remove("$include")) {
        files.push(folder.join(name));
    }
    for pattern in texts(values.remove("$include-glob")) {
        let pattern = folder.join(pattern);
        let found = glob::glob(&pattern.to_string_lossy()).map_err(|error| Error::Config {
            path: path.into(),
            reason: format!("$include-glob: {}", error.msg),
        })?;
        files.extend(found.flatten());
    }
    for file in files {
        for (name, theirs) in load(&file, depth + 1)? {
            match (values.get_mut(&name), theirs) {
                (Some(Value::Object(ours)), Value::Object(theirs)) => {
                    for (key, value) in theirs {
                        ours.entry(key).or_insert(value);
                    }
                }
                (Some(_), _) => {}
                (None, theirs) => {
                    values.insert(name, theirs);
                }
            }
        }
    }
    Ok(values)
}

/// Sections become prefixes: `{"runner": {"revs": 1}}` is `{"runner.revs": 1}`.
pub(super) fn flatten(values: Map<String, Value>) -> Map<String, Value> {
    let mut flat = Map::new();
    for (name, value) in values {
        match value {
            Value::Object(section) if !name.contains('.') && !name.starts_with('$') => {
                for (key, value) in section {
                    flat.insert(format!("{name}.{key}"), value);
                }
            }
            value => {
                flat.insert(name, value);
            }
        }
    }
    flat
}

/// A text, or a list of them.
fn texts(value: Option<Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(values)) => values
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}
