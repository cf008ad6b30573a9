//! The pieces that a sampling script is made of.

use crate::Error;
use serde_json::Value;
use std::{fs, path::Path};

/// How deep units may be nested.
const MAX_DEPTH: usize = 16;
/// Length of a template, in bytes.
const MAX_LENGTH: u64 = 256 << 10;
/// Where a unit's children go.
pub(super) const CHILDREN: &str = "{{ children }}";
/// Where the subject is called.
pub(super) const CALL: &str = "{{ call }}";
/// The unit that every executor has.
const CALL_SUBJECT: &str = "call_subject";

/// The unit that tells phperf when the measured loop begins and ends.
const PROFILE: &str = "profile_sampler";

/// The unit that tells whoever counts when the measured loop begins and ends; nothing where nobody does.
const COUNT: &str = "instructions_sampler";

const BUILT_IN: [(&str, &str); 12] = [
    ("before_methods", include_str!("units/before_methods.php")),
    ("after_methods", include_str!("units/after_methods.php")),
    ("warmup", include_str!("units/warmup.php")),
    ("rev_loop", include_str!("units/rev_loop.php")),
    (CALL_SUBJECT, include_str!("units/call_subject.php")),
    ("hrtime_sampler", include_str!("units/hrtime_sampler.php")),
    ("microtime_sampler", include_str!("units/microtime_sampler.php")),
    ("cpu_sampler", include_str!("units/cpu_sampler.php")),
    (PROFILE, include_str!("units/profile_sampler.php")),
    (COUNT, include_str!("units/instructions_sampler.php")),
    ("memory_reset", include_str!("units/memory_reset.php")),
    ("memory_sampler", include_str!("units/memory_sampler.php")),
];

/// A unit: some PHP, with other units in its middle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// A built-in unit's name, or the path of a template.
    pub name: String,
    /// Its PHP, with [`CHILDREN`] where the children go.
    pub(super) template: String,
    /// The units in its middle.
    pub children: Vec<Unit>,
}

impl Unit {
    /// Whether the subject is called in it.
    pub(super) fn calls(&self) -> bool {
        self.name == CALL_SUBJECT || self.children.iter().any(Self::calls)
    }

    /// Whether the call is repeated in it, or in a unit that is in it.
    pub(super) fn loops(&self) -> bool {
        self.template.contains("$revs") || self.children.iter().any(Self::loops)
    }

    /// Whether its loop is recorded.
    pub(super) fn profiles(&self) -> bool {
        self.name == PROFILE || self.children.iter().any(Self::profiles)
    }

    /// Whether its loop can be counted by itself.
    pub(super) fn counts(&self) -> bool {
        self.name == COUNT || self.children.iter().any(Self::counts)
    }

    fn count_calls(&self) -> usize {
        usize::from(self.name == CALL_SUBJECT) + self.children.iter().map(Self::count_calls).sum::<usize>()
    }
}

/// Reads units as configured: names of built-in units, or paths of templates from `folder`; a list after a name
/// has the children of that unit.
pub(super) fn parse(executor: &str, units: &Value, folder: &Path) -> Result<Vec<Unit>, Error> {
    let wrong = |reason: String| Error::Executor {
        name: executor.into(),
        reason,
    };
    let units = list(units, folder, 0).map_err(wrong)?;
    match units.iter().map(Unit::count_calls).sum::<usize>() {
        1 => Ok(units),
        count => Err(wrong(format!(
            "its units have to contain call_subject once, and do {count} times"
        ))),
    }
}

fn list(units: &Value, folder: &Path, depth: usize) -> Result<Vec<Unit>, String> {
    if depth > MAX_DEPTH {
        return Err(format!("its units are nested more than {MAX_DEPTH} deep"));
    }
    let mut parsed: Vec<Unit> = Vec::new();
    for value in units
        .as_array()
        .ok_or("units have to be a list of names and lists")?
    {
        match value {
            Value::String(name) => parsed.push(Unit {
                template: template(name, folder)?,
                name: name.clone(),
                children: Vec::new(),
            }),
            Value::Array(_) => {
                let parent = parsed
                    .last_mut()
                    .ok_or("a list of units has to follow the unit that they are in")?;
                if !parent.template.contains(CHILDREN) {
                    return Err(format!(
                        "the unit {} has no room for other units: there is no {CHILDREN} in it",
                        parent.name
                    ));
                }
                parent.children.extend(list(value, folder, depth + 1)?);
            }
            other => {
                return Err(format!(
                    "{other} is neither the name of a unit nor a list of units"
                ));
            }
        }
    }
    Ok(parsed)
}

fn template(name: &str, folder: &Path) -> Result<String, String> {
    let text = match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => (*text).to_owned(),
        None if Path::new(name)
            .extension()
            .is_some_and(|extension| extension == "php") =>
        {
            let path = folder.join(name);
            let unreadable = |error| format!("its template {} cannot be read: {error}", path.display());
            if fs::metadata(&path).map_err(unreadable)?.len() > MAX_LENGTH {
                return Err(format!(
                    "its template {} is longer than {} KB",
                    path.display(),
                    MAX_LENGTH >> 10
                ));
            }
            fs::read_to_string(&path).map_err(unreadable)?
        }
        None => {
            let known: Vec<_> = BUILT_IN.iter().map(|(known, _)| *known).collect();
            return Err(format!(
                "there is no unit {name}; there are {}, and templates by their path (*.php)",
                known.join(", ")
            ));
        }
    };
    let body = text.trim_start();
    Ok(body.strip_prefix("<?php").unwrap_or(body).trim().to_owned())
}
