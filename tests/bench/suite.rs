//! Runs fixtures and gives what `--json` wrote.

use crate::support::{Ran, phperf};
use serde_json::Value;
use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A folder of fixtures.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/bench")).join(name)
}

/// A run, and its suite.
pub struct Bench {
    pub ran: Ran,
    pub suite: Value,
}

impl Bench {
    /// `phperf bench run` in a folder without settings, with these arguments.
    pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self::run_in(tempfile::tempdir().expect("a folder").path(), arguments)
    }

    /// The same in a folder with settings.
    pub fn run_in<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Self {
        let json = TempDir::new().expect("a folder");
        let file = json.path().join("suite.json");
        let mut command = phperf(["bench", "run", "--json"]);
        let ran: Ran = command
            .arg(&file)
            .args(arguments)
            .current_dir(folder)
            .output()
            .expect("phperf starts")
            .into();
        let suite = fs::read(&file)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        Self {
            suite: suite.unwrap_or_else(|| panic!("no suite: {}", ran.stderr)),
            ran,
        }
    }

    /// Variants as `subject # set × revolutions × iterations`.
    pub fn rows(&self) -> Vec<String> {
        self.variants()
            .map(|(subject, variant)| {
                let set = variant["set"].as_str().unwrap();
                let set = if set.is_empty() {
                    String::new()
                } else {
                    format!(" # {set}")
                };
                format!(
                    "{}{set} × {} × {}",
                    subject["name"].as_str().unwrap(),
                    variant["revolutions"],
                    variant["iterations"]
                )
            })
            .collect()
    }

    pub fn variants(&self) -> impl Iterator<Item = (&Value, &Value)> {
        let classes = self.suite["classes"].as_array().unwrap();
        let subjects = classes
            .iter()
            .flat_map(|class| class["subjects"].as_array().unwrap());
        subjects.flat_map(|subject| {
            subject["variants"]
                .as_array()
                .unwrap()
                .iter()
                .map(move |variant| (subject, variant))
        })
    }

    /// The only variant of a subject.
    pub fn variant(&self, subject: &str) -> &Value {
        let found = self.variants().find(|(one, _)| one["name"] == subject);
        found
            .unwrap_or_else(|| panic!("no {subject}: {}", self.ran.stderr))
            .1
    }

    pub fn samples(&self, subject: &str) -> Vec<Value> {
        let variant = self.variant(subject);
        let samples = variant["outcome"]["measured"]["samples"].as_array();
        samples
            .unwrap_or_else(|| panic!("{subject} was not measured: {variant}"))
            .clone()
    }

    pub fn summary(&self, subject: &str) -> &Value {
        &self.variant(subject)["outcome"]["measured"]["summary"]
    }

    /// Why a class, subject or variant failed.
    pub fn failure(&self, name: &str) -> &str {
        let message = |value: &Value| value["message"].as_str().map(str::len).is_some();
        for class in self.suite["classes"].as_array().unwrap() {
            if class["name"] == name && message(&class["failure"]) {
                return class["failure"]["message"].as_str().unwrap();
            }
            for subject in class["subjects"].as_array().unwrap() {
                if subject["name"] == name && message(&subject["failure"]) {
                    return subject["failure"]["message"].as_str().unwrap();
                }
            }
        }
        self.variant(name)["outcome"]["failed"]["message"]
            .as_str()
            .unwrap_or("")
    }
}

/// `bench run` of a folder of fixtures with more arguments.
pub fn run_fixture(name: &str, more: &[&str]) -> Bench {
    let path = fixture(name).display().to_string();
    Bench::run([path.as_str()].iter().chain(more))
}
