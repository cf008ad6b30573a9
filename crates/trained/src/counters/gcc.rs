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
    /// How often a function was called. Where programs and a library are built together, its file is compiled twice, and both
    /// count for themselves.
    fn calls(&self, object: &str, function: &str) -> Result<u64, Error> {
        let mut calls = 0;
        for file in [format!("{object}.{GCDA}"), for_libraries(object)] {
            if self.built.join(&file).is_file() {
                calls += self.calls_of(&file, function)?;
            }
        }
        Ok(calls)
    }

    fn calls_of(&self, file: &str, function: &str) -> Result<u64, Error> {
        let said = run::output(Command::new(self.gcov).current_dir(self.built).args([
            "--json-format",
            "--stdout",
            file,
        ]))?;
        let json: Value = serde_json::from_str(said.lines().next().unwrap_or_default()).map_err(|error| {
            Error::Lost(format!("{} does not tell what {file} holds: {error}", self.gcov))
        })?;
        Ok(called(&json, function))
    }
}

/// Where libtool puts position-independent objects.
fn for_libraries(object: &str) -> String {
    match object.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/.libs/{name}.{GCDA}"),
        None => format!(".libs/{object}.{GCDA}"),
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

    const MAIN: &str = "__attribute__((noinline)) void php_request_startup(void) { __asm__ volatile(\"\"); }\n\
        int main(int n, char **v) { for (int i = 1; i < n; i++) php_request_startup(); if (n > 3) __builtin_trap(); }\n";

    /// Compiles each object of one file, and links a program from it: by GCC, which writes counters beside the object.
    fn programs(place: &Path, objects: &[(&str, &str)]) {
        fs::create_dir_all(place.join("main/.libs")).unwrap();
        fs::write(place.join("main/main.c"), MAIN).unwrap();
        let gcc = |arguments: &[&str]| {
            let status = Command::new("gcc")
                .current_dir(place)
                .arg("-fprofile-generate")
                .args(arguments)
                .status();
            assert!(status.unwrap().success());
        };
        for (object, program) in objects {
            gcc(&["-O2", "-ftest-coverage", "-o", object, "-c", "main/main.c"]);
            gcc(&[object, "-o", program]);
        }
    }

    fn of(built: &Path) -> GccCounters<'_> {
        GccCounters { built, gcov: "gcov" }
    }

    fn run(program: &Path, arguments: usize) {
        let _ = Command::new(program).args(vec!["x"; arguments]).status().unwrap();
    }

    /// The counts are those of the calls, and a process that is killed leaves none.
    #[test]
    fn calls_are_counted_one_by_one() {
        let place = tempfile::tempdir().unwrap();
        let counters = of(place.path());
        programs(place.path(), &[("main/main.o", "program")]);
        let counted = || counters.coverage().unwrap().requests;
        assert_eq!(counted(), 0);
        for (arguments, by_then) in [(2, 2), (1, 3), (3, 3)] {
            run(&place.path().join("program"), arguments);
            assert_eq!(counted(), by_then);
        }
        counters.clear().unwrap();
        assert_eq!(counted(), 0);
    }

    #[test]
    fn what_a_library_counts_is_added_to_what_programs_count() {
        let place = tempfile::tempdir().unwrap();
        let counters = of(place.path());
        programs(
            place.path(),
            &[("main/main.o", "program"), ("main/.libs/main.o", "library")],
        );
        for (program, by_then) in [("library", 2), ("program", 4), ("library", 6)] {
            run(&place.path().join(program), 2);
            assert_eq!(counters.coverage().unwrap().requests, by_then);
        }
    }
}
