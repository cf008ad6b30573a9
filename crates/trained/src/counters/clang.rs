//! Clang's counters: a file for each program, which each process adds to.

use super::{Counters, EXECUTOR, REQUEST, files, removed};
use crate::{Coverage, Error, coverage::Unit, run};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// How the names of Clang's files of counters end.
pub(crate) const PROFRAW: &str = "profraw";

/// Counters that are written to a folder of the build.
#[derive(Debug)]
pub(crate) struct ClangCounters<'a> {
    pub built: &'a Path,
    /// The name of the compiler's llvm-profdata.
    pub profdata: &'a str,
}

/// Where the programs of a build write to.
pub(crate) fn written_to(built: &Path) -> PathBuf {
    built.join("counters")
}

impl Counters for ClangCounters<'_> {
    fn programs(&self) -> &Path {
        self.built
    }

    fn written_to(&self) -> &Path {
        self.built
    }

    fn ending(&self) -> &'static str {
        PROFRAW
    }

    fn clear(&self) -> Result<(), Error> {
        removed(self.built, PROFRAW)?;
        let counters = written_to(self.built);
        // Whoever serves requests may write into it, and not make it.
        fs::create_dir_all(&counters).map_err(Error::io(format!("make {}", counters.display())))
    }

    fn coverage(&self) -> Result<Coverage, Error> {
        let Some(merged) = self.merged()? else {
            return Ok(read(""));
        };
        let said = run::output(
            Command::new(self.profdata)
                .args(["show", "--all-functions"])
                .arg(&merged),
        )?;
        Ok(read(&said))
    }
}

impl ClangCounters<'_> {
    /// One file of all; `None` where there are none.
    fn merged(&self) -> Result<Option<PathBuf>, Error> {
        let raw = files(self.built, PROFRAW)?;
        if raw.is_empty() {
            return Ok(None);
        }
        let merged = written_to(self.built).join("merged.profdata");
        run::output(
            Command::new(self.profdata)
                .args(["merge", "-o"])
                .arg(&merged)
                .args(&raw),
        )?;
        Ok(Some(merged))
    }
}

/// Of what `llvm-profdata show --all-functions` prints: a line `  name:`, and below it `    Function count: 3`.
fn read(said: &str) -> Coverage {
    let mut coverage = Coverage {
        unit: Unit::Functions,
        units: 0,
        requests: 0,
        executed: 0,
    };
    let mut function = "";
    for line in said.lines() {
        if let Some(count) = line.strip_prefix("    Function count: ") {
            let count = count.trim().parse().unwrap_or(0);
            coverage.units += usize::from(count > 0);
            match function {
                REQUEST => coverage.requests += count,
                EXECUTOR => coverage.executed += count,
                _ => {}
            }
        } else if let Some(name) = line.strip_prefix("  ").and_then(|line| line.strip_suffix(':')) {
            function = name;
        }
    }
    coverage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Compiler;

    /// With Clang's own files.
    #[test]
    fn calls_of_all_processes_are_counted() {
        if let Err(error) = Compiler::find(Some("clang"), &[]) {
            assert!(std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none(), "{error}");
            eprintln!("skipped: {error}");
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let counters = ClangCounters {
            built: place.path(),
            profdata: "llvm-profdata",
        };
        let code = place.path().join("main.c");
        fs::write(
            &code,
            "#include <unistd.h>\n#include <sys/wait.h>\n#include <stdlib.h>\n\
             __attribute__((noinline)) void php_request_startup(void) { __asm__ volatile(\"\"); }\n\
             int main(int n, char **v) {\n\
             if (!fork()) { for (int i = 1; i < n; i++) php_request_startup(); if (n > 3) __builtin_trap(); exit(0); }\n\
             wait(0); return 0; }\n",
        )
        .unwrap();
        let pattern = written_to(place.path()).join("%m.profraw");
        let compiled = Command::new("clang")
            .current_dir(place.path())
            .arg(format!("-fprofile-instr-generate={}", pattern.display()))
            .args(["-O1", "main.c", "-o", "program"])
            .status();
        assert!(compiled.unwrap().success());
        let counted = || counters.coverage().unwrap().requests;
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
