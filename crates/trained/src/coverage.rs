//! What a training left in the counters, and whether that is all of it.

use crate::{Error, compile::Compiler, compile::counters, run};
use serde_json::Value;
use std::{path::Path, process::Command};

/// Where PHP starts a request, and where it runs code: the executor of PHP's own virtual machine.
const FUNCTIONS: [(&str, &str); 2] = [
    ("main/main", "php_request_startup"),
    ("Zend/zend_execute", "execute_ex"),
];
/// A PHP that ran anything has counters of more files than that: its executor, its allocator, its streams.
const FILES_MIN: usize = 50;

/// The counters of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Files that have counters.
    pub files: usize,
    /// Requests that were counted, a script being one.
    pub requests: u64,
    /// How often the executor was entered.
    pub executed: u64,
}

impl Coverage {
    /// Reads the counters of a build.
    pub(crate) fn of(built: &Path, compiler: &Compiler) -> Result<Self, Error> {
        let files = counters(built, |_| Ok(()))?;
        let [requests, executed] =
            FUNCTIONS.map(|(object, function)| calls(built, compiler, object, function));
        Ok(Self {
            files,
            requests: requests?,
            executed: executed?,
        })
    }

    /// Whether it holds all that ran: scripts and requests, one by one.
    pub(crate) fn judge(self, scripts: u64, requests: u64) -> Result<Self, Error> {
        let due = scripts + requests;
        if self.files < FILES_MIN {
            return Err(Error::Lost(format!(
                "only {} files have counters, not {FILES_MIN} or more: could PHP write into the folder of the build, and did \
                 it end by itself?",
                self.files
            )));
        }
        if self.requests < due {
            return Err(Error::Lost(format!(
                "{} of {due} requests were counted: a process was killed before it wrote its counters, or could not write \
                 them",
                self.requests
            )));
        }
        if self.executed == 0 {
            return Err(Error::Lost(
                "the executor was never entered: no PHP code ran".into(),
            ));
        }
        Ok(self)
    }
}

/// How often a function was called.
fn calls(built: &Path, compiler: &Compiler, object: &str, function: &str) -> Result<u64, Error> {
    let Some(file) = [format!("{object}.gcda"), with_libs(object)]
        .into_iter()
        .find(|file| built.join(file).is_file())
    else {
        return Ok(0);
    };
    let said = run::output(Command::new(&compiler.gcov).current_dir(built).args([
        "--json-format",
        "--stdout",
        &file,
    ]))?;
    let json: Value = serde_json::from_str(said.lines().next().unwrap_or_default()).map_err(|error| {
        Error::Lost(format!(
            "{} does not tell what {file} holds: {error}",
            compiler.gcov
        ))
    })?;
    Ok(called(&json, function))
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

    #[test]
    fn what_is_lost_is_told() {
        let whole = Coverage {
            files: 120,
            requests: 7,
            executed: 9,
        };
        assert_eq!(whole.judge(2, 5).unwrap(), whole);
        let told = |coverage: Coverage| coverage.judge(2, 5).unwrap_err().to_string();
        assert!(told(Coverage { files: 49, ..whole }).contains("only 49 files have counters"));
        assert!(told(Coverage { requests: 6, ..whole }).contains("6 of 7 requests were counted"));
        assert!(told(Coverage { executed: 0, ..whole }).contains("the executor was never entered"));
    }

    /// With GCC's own files: the counts are those of the calls, and a process that is killed leaves none.
    #[test]
    fn calls_are_counted_one_by_one() {
        let compiler = Compiler::find(&[]).unwrap();
        let place = tempfile::tempdir().unwrap();
        let main = place.path().join("main");
        fs::create_dir(&main).unwrap();
        let code = "__attribute__((noinline)) void php_request_startup(void) { __asm__ volatile(\"\"); }\n\
                    int main(int n, char **v) { for (int i = 1; i < n; i++) php_request_startup(); if (n > 3) __builtin_trap(); }\n";
        fs::write(main.join("main.c"), code).unwrap();
        let object = Command::new("gcc")
            .current_dir(place.path())
            .args([
                "-O2",
                "-fprofile-generate",
                "-ftest-coverage",
                "-o",
                "main/main.o",
                "-c",
                "main/main.c",
            ])
            .status();
        assert!(object.unwrap().success());
        let linked = Command::new("gcc")
            .current_dir(place.path())
            .args(["-fprofile-generate", "main/main.o", "-o", "program"])
            .status();
        assert!(linked.unwrap().success());
        let counted = || calls(place.path(), &compiler, "main/main", "php_request_startup").unwrap();
        assert_eq!(counted(), 0);
        for (arguments, by_then) in [(2, 2), (1, 3), (3, 3)] {
            let _ = Command::new(place.path().join("program"))
                .args(vec!["x"; arguments])
                .status()
                .unwrap();
            assert_eq!(counted(), by_then);
        }
    }
}
