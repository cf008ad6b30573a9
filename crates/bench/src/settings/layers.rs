//! Values by name, each with its source; a later one takes the place of an earlier one.

use crate::Error;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{collections::BTreeMap, fmt, path::PathBuf};

/// Where a value is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file of settings.
    File(PathBuf),
    /// A profile.
    Profile(String),
    /// An option.
    CommandLine,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Profile(name) => write!(f, "profile {name}"),
            Self::CommandLine => f.write_str("the command line"),
        }
    }
}

/// A value, and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it is from.
    pub source: Source,
}

/// All values that were set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers(BTreeMap<String, Sourced<Value>>);

impl Layers {
    /// Sets one. `null` is as if it had not been set.
    pub fn set(&mut self, name: impl Into<String>, value: Value, source: Source) {
        let name = name.into();
        if value.is_null() {
            self.0.remove(&name);
        } else {
            self.0.insert(name, Sourced { value, source });
        }
    }

    /// One of them.
    pub fn get(&self, name: &str) -> Option<&Sourced<Value>> {
        self.0.get(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Sourced<Value>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// One of them as `T`; `what` says what it has to be.
    pub(super) fn read<T: DeserializeOwned>(&self, name: &str, what: &str) -> Result<Option<T>, Error> {
        self.read_with(name, what, |value| serde_json::from_value(value.clone()).ok())
    }

    /// One of them as whatever `read` makes of it.
    pub(super) fn read_with<T>(
        &self,
        name: &str,
        what: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(found) = self.get(name) else {
            return Ok(None);
        };
        read(&found.value).map(Some).ok_or_else(|| Error::Setting {
            name: name.into(),
            source_name: found.source.to_string(),
            reason: format!("it has to be {what}, and is {}", brief(&found.value)),
        })
    }
}

/// A value in a few characters.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
