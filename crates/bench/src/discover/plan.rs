//! What there is to run, before it is known how it goes.

use super::PhpInfo;
use crate::{model::Failure, settings::Sampling};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

/// A suite that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planned {
    /// What PHP says of itself.
    pub php: PhpInfo,
    /// Classes with subjects, and files that cannot be loaded.
    pub classes: Vec<PlannedClass>,
    /// What is odd, one line each.
    pub notes: Vec<String>,
    /// Subjects that the suite skips.
    pub skipped: usize,
}

/// A class with subjects, or why it has none.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedClass {
    /// Its full name; the file's name where it cannot be loaded.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Static methods to call before its subjects.
    pub before: Vec<String>,
    /// Static methods to call after them.
    pub after: Vec<String>,
    /// Its subjects.
    pub subjects: Vec<PlannedSubject>,
    /// Why there are none.
    pub failure: Option<Failure>,
}

/// A subject, or why it cannot be run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PlannedSubject {
    /// The method's name.
    pub name: String,
    /// Groups it is in.
    pub groups: Vec<String>,
    /// Methods to call before its samples.
    pub before_methods: Vec<String>,
    /// Methods to call after them.
    pub after_methods: Vec<String>,
    /// Whether the suite skips it.
    pub skip: bool,
    /// What it says on how it is to be sampled.
    pub sampling: Sampling,
    /// Its parameter sets; one without parameters where it takes none.
    #[serde(default)]
    pub sets: Vec<PlannedSet>,
    /// What is wrong with it.
    #[serde(default)]
    pub error: Option<String>,
}

/// A parameter set.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PlannedSet {
    /// Its name.
    pub name: String,
    /// The array, serialized by PHP, in hexadecimal; empty without parameters.
    pub serialized: String,
    /// The array as JSON can show it.
    pub shown: Value,
}

/// A class as PHP describes it.
#[derive(Debug, Deserialize)]
pub(super) struct Described {
    class: String,
    before_class: Vec<String>,
    after_class: Vec<String>,
    subjects: Vec<PlannedSubject>,
    notes: Vec<String>,
}

impl Planned {
    pub(super) fn add(&mut self, file: PathBuf, found: Result<Option<Described>, String>) {
        match found {
            Err(error) => self.fail(file, Failure::new(error)),
            Ok(None) => {}
            Ok(Some(class)) => {
                for note in class.notes {
                    if !self.notes.contains(&note) {
                        self.notes.push(note);
                    }
                }
                self.skipped += class.subjects.iter().filter(|subject| subject.skip).count();
                let subjects: Vec<_> = class
                    .subjects
                    .into_iter()
                    .filter(|subject| !subject.skip && (subject.error.is_some() || !subject.sets.is_empty()))
                    .collect();
                if !subjects.is_empty() {
                    self.classes.push(PlannedClass {
                        name: class.class,
                        file,
                        before: class.before_class,
                        after: class.after_class,
                        subjects,
                        failure: None,
                    });
                }
            }
        }
    }

    pub(super) fn fail(&mut self, file: PathBuf, failure: Failure) {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        self.classes.push(PlannedClass {
            name,
            file,
            before: Vec::new(),
            after: Vec::new(),
            subjects: Vec::new(),
            failure: Some(failure),
        });
    }
}
