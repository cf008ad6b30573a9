//! PHP's own test runner.

use crate::{Error, Extension, Toolchain};
use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Seconds of silence after which a test is taken to hang, as `run-tests.php` reads them: many, as machines are busy.
const SILENCE: &str = "600";

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// As expected.
    Passed,
    /// Not for this PHP or database.
    Skipped,
    /// Failed, as expected.
    Expected,
    /// Not as expected.
    Failed,
    /// Memory was lost, or used wrongly.
    Leaked,
    /// Without an end that `run-tests.php` has a name for.
    Other,
}

impl Outcome {
    fn parse(word: &str) -> Self {
        match word {
            "PASSED" | "PASSED&WARNED" => Self::Passed,
            "SKIPPED" => Self::Skipped,
            "XFAILED" => Self::Expected,
            "FAILED" | "XLEAKED&FAILED" | "FAILED&WARNED" => Self::Failed,
            word if word.contains("LEAK") => Self::Leaked,
            _ => Self::Other,
        }
    }
}

/// How each test ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    outcomes: BTreeMap<String, Outcome>,
    /// What differed, of those that failed.
    differences: BTreeMap<String, String>,
}

impl Results {
    /// How many ended so.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.outcomes.values().filter(|it| **it == outcome).count()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// The tests that ended badly, with what differed.
    pub fn bad(&self) -> impl Iterator<Item = String> + '_ {
        self.outcomes
            .iter()
            .filter(|(_, outcome)| **outcome >= Outcome::Failed)
            .map(|(test, outcome)| {
                let difference = self.differences.get(test).map_or("", String::as_str);
                format!("{test}: {outcome:?}\n{difference}")
            })
    }

    /// What ended otherwise there: the tests, how they ended here and there, and what differed there.
    pub fn changes<'a>(&'a self, there: &'a Self) -> Vec<String> {
        let tests = self.outcomes.keys().chain(there.outcomes.keys());
        let tests: std::collections::BTreeSet<_> = tests.collect();
        tests
            .into_iter()
            .filter(|test| self.outcomes.get(*test) != there.outcomes.get(*test))
            .map(|test| {
                let name = |results: &Self| {
                    let outcome = results.outcomes.get(test);
                    outcome.map_or("not run".into(), |outcome| format!("{outcome:?}"))
                };
                let difference = there.differences.get(test).map_or("", String::as_str);
                format!("{test}: {} → {}\n{difference}", name(self), name(there))
            })
            .collect()
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} passed, {} skipped, {} failed as expected, {} failed, {} leaked, {} without an end, of {}",
            self.count(Outcome::Passed),
            self.count(Outcome::Skipped),
            self.count(Outcome::Expected),
            self.count(Outcome::Failed),
            self.count(Outcome::Leaked),
            self.count(Outcome::Other),
            self.len()
        )
    }
}

/// A run of `run-tests.php`.
#[derive(Clone, Debug)]
pub struct RunTests<'a> {
    toolchain: &'a Toolchain,
    program: PathBuf,
    trees: Vec<(PathBuf, PathBuf)>,
    tests: Vec<PathBuf>,
    settings: Vec<String>,
    variables: Vec<(String, String)>,
    valgrind: bool,
}

impl<'a> RunTests<'a> {
    /// A run by this PHP of the `run-tests.php` at a path.
    pub fn new(toolchain: &'a Toolchain, program: impl Into<PathBuf>) -> Self {
        Self {
            toolchain,
            program: program.into(),
            trees: Vec::new(),
            tests: Vec::new(),
            settings: Vec::new(),
            variables: Vec::new(),
            valgrind: false,
        }
    }

    /// With the files of a folder at a path of the run's own, so that runs side by side do not meet.
    #[must_use]
    pub fn tree(mut self, folder: impl Into<PathBuf>, path: impl Into<PathBuf>) -> Self {
        self.trees.push((folder.into(), path.into()));
        self
    }

    /// Of the tests at such a path.
    #[must_use]
    pub fn tests(mut self, path: impl Into<PathBuf>) -> Self {
        self.tests.push(path.into());
        self
    }

    /// With one of PHP's settings.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.settings.push(format!("{name}={value}"));
        self
    }

    /// With an extension.
    #[must_use]
    pub fn extension(self, extension: &Extension) -> Self {
        self.set("extension", extension.module().display())
    }

    /// With a variable of the environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Under valgrind.
    #[must_use]
    pub fn valgrind(mut self) -> Self {
        self.valgrind = true;
        self
    }

    /// Runs them all.
    pub fn run(&self) -> Result<Results, Error> {
        let place = self.toolchain.place();
        let folder = TempDir::with_prefix_in("run-tests-", place.temporary())
            .map_err(Error::io("make a temporary folder"))?;
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755))
            .map_err(Error::io("open a folder"))?;
        for (from, to) in &self.trees {
            copy(from, &folder.path().join(to))?;
        }
        let program = folder.path().join("run-tests.php");
        fs::copy(&self.program, &program).map_err(Error::io(format!("copy {}", self.program.display())))?;
        let results = folder.path().join("results");
        let php = self.toolchain.php();
        let mut command = place.command("env");
        command
            .arg("-C")
            .arg(place.inside(folder.path()))
            .arg(php)
            .arg("run-tests.php")
            .args(["-q", "--no-color", "-W"])
            .arg(place.inside(&results))
            .arg("-p")
            .arg(php);
        for setting in &self.settings {
            command.arg("-d").arg(setting);
        }
        if self.valgrind {
            command.arg("-m");
        }
        if self.toolchain.checks_addresses() {
            command.arg("--asan");
        }
        command
            .args(&self.tests)
            .env("NO_INTERACTION", "1")
            .env("TEST_TIMEOUT", SILENCE);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let said = finish(&mut command)?;
        let results = fs::read_to_string(&results).unwrap_or_default();
        let parsed = parse(&results, &place.inside(folder.path()), folder.path());
        if parsed.is_empty() {
            return Err(Error::Failed {
                command: "run-tests.php".into(),
                said,
            });
        }
        Ok(parsed)
    }
}

/// Runs it to its end; what it said last. It fails wherever a test does, so that its code says nothing.
fn finish(command: &mut Command) -> Result<String, Error> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(Error::io("start run-tests.php"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(10)..].join(" / "))
}

/// Reads lines of an outcome, a tab, and a test.
fn parse(written: &str, inside: &Path, outside: &Path) -> Results {
    let mut results = Results::default();
    for line in written.lines() {
        let Some((word, named)) = line.split_once('\t') else {
            continue;
        };
        let outcome = Outcome::parse(word);
        let prefix = format!("{}/", inside.display());
        let test = named.replace(&prefix, "");
        if outcome >= Outcome::Failed {
            let path = test.rsplit(' ').next().unwrap_or_default();
            let beside = |ending: &str| fs::read_to_string(outside.join(path).with_extension(ending)).ok();
            let difference = beside("mem").or_else(|| beside("diff")).unwrap_or_default();
            let short = difference.lines().take(60).collect::<Vec<_>>().join("\n");
            results.differences.insert(test.clone(), short);
        }
        results.outcomes.insert(test, outcome);
    }
    results
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let copying = || format!("copy {}", from.display());
    fs::create_dir_all(to).map_err(Error::io(copying()))?;
    for entry in fs::read_dir(from).map_err(Error::io(copying()))? {
        let entry = entry.map_err(Error::io(copying()))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(Error::io(copying()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_with_what_differed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b.diff"), "- 1\n+ 2\n").unwrap();
        let root = Path::new("/tmp/run");
        let before = parse(
            "PASSED\t/tmp/run/a.phpt\nPASSED\t/tmp/run/b.phpt\n",
            root,
            folder.path(),
        );
        let after = parse(
            "PASSED\t/tmp/run/a.phpt\nFAILED\t/tmp/run/b.phpt\nSKIPPED\tc.phpt\n",
            root,
            folder.path(),
        );
        assert_eq!(
            before.changes(&after),
            ["b.phpt: Passed → Failed\n- 1\n+ 2", "c.phpt: not run → Skipped\n"]
        );
        assert_eq!(after.bad().count(), 1);
        assert_eq!(
            after.to_string(),
            "1 passed, 1 skipped, 0 failed as expected, 1 failed, 0 leaked, 0 without an end, of 3"
        );
    }
}
