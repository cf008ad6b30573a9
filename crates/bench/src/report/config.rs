//! What a report is made from: a name, or configuration.

use serde_json::Value;
use std::collections::BTreeMap;

/// How far a report may be based on another one.
const MAX_DEPTH: usize = 8;
/// Generators of `PHPBench`, and the report here that is closest.
const GENERATORS: [(&str, &str); 3] = [
    ("expression", "aggregate"),
    ("table", "aggregate"),
    ("component", "overview"),
];

/// Why there is no such report: one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The configuration is no JSON.
    #[error("the report {0} is neither a name nor an object of JSON")]
    NotJson(String),
    /// There is no report of that name.
    #[error("there is no report {name}; there are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Reports are based on each other.
    #[error("the report {0} is based on itself")]
    Circle(String),
    /// There is no column of that name.
    #[error("there is no column {name}; there are {known}")]
    Column {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

/// What to make.
pub(super) struct Plan {
    /// Names of reports, or configurations.
    pub(super) bases: Vec<Value>,
    pub(super) columns: Option<Vec<String>>,
    pub(super) title: Option<String>,
}

pub(super) fn parse(asked: &str) -> Result<Value, ReportError> {
    if asked.trim_start().starts_with('{') {
        serde_json::from_str(asked).map_err(|_| ReportError::NotJson(asked.into()))
    } else {
        Ok(Value::String(asked.into()))
    }
}

pub(super) fn plan(
    asked: &Value,
    configured: &BTreeMap<String, Value>,
    built_in: &[&str],
    depth: usize,
) -> Result<Plan, ReportError> {
    if depth > MAX_DEPTH {
        return Err(ReportError::Circle(asked.to_string()));
    }
    match asked {
        Value::String(name) => {
            let base = match configured.get(name) {
                Some(config) => config.clone(),
                None if built_in.contains(&name.as_str()) => asked.clone(),
                None => {
                    let known: Vec<&str> = built_in
                        .iter()
                        .copied()
                        .chain(configured.keys().map(String::as_str))
                        .collect();
                    return Err(ReportError::Unknown {
                        name: name.clone(),
                        known: known.join(", "),
                    });
                }
            };
            Ok(Plan {
                bases: vec![base],
                columns: None,
                title: None,
            })
        }
        Value::Object(config) => {
            let text = |key: &str| config.get(key).and_then(Value::as_str);
            let name = |name: &str| vec![Value::String(name.to_owned())];
            let bases = match (text("extends"), text("generator"), config.get("reports")) {
                (None, Some("composite"), Some(Value::Array(reports))) => reports.clone(),
                (Some(base), _, _) => name(base),
                (None, Some(generator), _) => {
                    let known = GENERATORS.iter().find(|(name, _)| *name == generator);
                    name(known.map_or(generator, |(_, name)| name))
                }
                (None, None, _) => name("aggregate"),
            };
            Ok(Plan {
                bases,
                columns: config.get("cols").and_then(names),
                title: text("title").map(str::to_owned),
            })
        }
        other => Err(ReportError::NotJson(other.to_string())),
    }
}

/// Names of columns: a list, or the keys of an object.
fn names(columns: &Value) -> Option<Vec<String>> {
    match columns {
        Value::Array(names) => Some(
            names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        ),
        Value::Object(columns) => Some(columns.keys().cloned().collect()),
        _ => None,
    }
}
