//! GCC's counters: a file beside each object.

use super::{Counters, EXECUTOR, REQUEST, each};
use crate::{Coverage, Error, coverage::Unit, run};
use serde_json::Value;
use std::{path::Path, process::Command};

/// How the names of GCC's files of counters end.
pub(crate) const GCDA: &str = "gcda";
/// The files with the functions that are looked at.
const OBJECTS: [(&str, &str); 2] = [("main/main", REQUEST), ("Zend/zend_execute", EXECUTOR)];

/// Counters that lie in the folder of a build.
#[derive(Debug)]
pub(crate) struct GccCounters<'a> {
    pub built: &'a Path,
    /// The name of the compiler's gcov.
    pub gcov: &'a str,
}

impl Counters for GccCounters<'_> {
    fn programs(&self) -> &Path {
        self.built
    }

    fn written_to(&self) -> &Path {
        self.built
    }

    fn ending(&self) -> &'static str {
        GCDA
    }

    fn coverage(&self) -> Result<Coverage, Error> {
        let files = each(self.built, GCDA, |_| Ok(()))?;
        let [requests, executed] = OBJECTS.map(|(object, function)| self.calls(object, function));
        Ok(Coverage {
            unit: Unit::Files,
            units: files,
            requests: requests?,
            executed: executed?,
        })
    }
}

impl GccCounters<'_> {
    /// How often a function was called.
    fn calls(&self, object: &str, function: &str) -> Result<u64, Error> {
        let Some(file) = [format!("{object}.gcda"), with_libs(object)]
            .into_iter()
            .find(|file| self.built.join(file).is_file())
        else {
            return Ok(0);
        };
        let said = run::output(Command::new(self.gcov).current_dir(self.built).args([
            "--json-format",
            "--stdout",
            &file,
        ]))?;
        let json: Value = serde_json::from_str(said.lines().next().unwrap_or_default()).map_err(|error| {
            Error::Lost(format!("{} does not tell what {file} holds: {error}", self.gcov))
        })?;
        Ok(called(&json, function))
    }
}

/// Where libtool puts position-independent objects.
fn with_libs(object: &str) -> String {
    match object.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/.libs/{name}.gcda"),
        None => format!(".libs/{object}.gcda"),
    }
}

fn called(json: &Value, function: &str) -> u64 {
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    list(json, "files")
        .iter()
        .flat_map(|file| list(file, "functions"))
        .filter(|entry| entry["name"] == function)
        .filter_map(|entry| entry["execution_count"].as_u64())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// With GCC's own files: the counts are those of the calls, and a process that is killed leaves none.
    #[test]
    fn calls_are_counted_one_by_one() {
        let place = tempfile::tempdir().unwrap();
        let counters = GccCounters {
            built: place.path(),
            gcov: "gcov",
        };
        let main = place.path().join("main");
        fs::create_dir(&main).unwrap();
        let code = "__attribute__((noinline)) void php_request_startup(void) { __asm__ volatile(\"\"); }\n\
                    int main(int n, char **v) { for (int i = 1; i < n; i++) php_request_startup(); if (n > 3) __builtin_trap(); }\n";
        fs::write(main.join("main.c"), code).unwrap();
        let gcc = |arguments: &[&str]| {
            let status = Command::new("gcc")
                .current_dir(place.path())
                .arg("-fprofile-generate")
                .args(arguments)
                .status();
            assert!(status.unwrap().success());
        };
        gcc(&["-O2", "-ftest-coverage", "-o", "main/main.o", "-c", "main/main.c"]);
        gcc(&["main/main.o", "-o", "program"]);
        let counted = || counters.coverage().unwrap().requests;
        assert_eq!(counted(), 0);
        for (arguments, by_then) in [(2, 2), (1, 3), (3, 3)] {
            let _ = Command::new(place.path().join("program"))
                .args(vec!["x"; arguments])
                .status()
                .unwrap();
            assert_eq!(counted(), by_then);
        }
        counters.clear().unwrap();
        assert_eq!(counted(), 0);
    }
}
