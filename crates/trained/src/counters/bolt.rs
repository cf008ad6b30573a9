//! BOLT's counters: a file of each process, with how often it went from where to where.

use super::{Counters, REQUEST, files};
use crate::{Coverage, Error, coverage::Unit};
use std::{
    collections::HashSet,
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

/// How the names of BOLT's files of counters end.
pub(crate) const FDATA: &str = "fdata";

/// What each request calls once. A call does not show where the compiler put the one function into the other, or where BOLT left
/// the calling one as it is: FPM's `main`, for one. No compiler does so with all of them.
const ONCE: [&str; 3] = [REQUEST, "zend_activate_modules", "zend_deactivate_modules"];

/// Where PHP runs scripts; which of them there are depends on its version. Its executor itself has no counters: BOLT leaves a
/// function as it is whose computed jumps it cannot follow to their ends.
const SCRIPT: [&str; 2] = ["php_execute_script", "zend_execute_script"];

/// Counters that are written to a folder of their own.
#[derive(Debug)]
pub(crate) struct BoltCounters<'a> {
    /// The folder of the programs that count.
    pub programs: &'a Path,
    /// The folder of the counters.
    pub written_to: &'a Path,
}

impl Counters for BoltCounters<'_> {
    fn programs(&self) -> &Path {
        self.programs
    }

    fn written_to(&self) -> &Path {
        self.written_to
    }

    fn ending(&self) -> &'static str {
        FDATA
    }

    fn coverage(&self) -> Result<Coverage, Error> {
        let mut read = Read::default();
        for path in files(self.written_to, FDATA)? {
            let cannot = || Error::io(format!("read {}", path.display()));
            let file = File::open(&path).map_err(cannot())?;
            for line in BufReader::new(file).lines() {
                read.line(&line.map_err(cannot())?);
            }
        }
        Ok(Coverage {
            unit: Unit::Functions,
            units: read.functions.len(),
            requests: read.once.into_iter().max().unwrap_or(0),
            executed: read.executed,
        })
    }
}

#[derive(Debug, Default)]
struct Read {
    functions: HashSet<String>,
    /// Calls of each of [`ONCE`].
    once: [u64; ONCE.len()],
    executed: u64,
}

impl Read {
    /// Of a line such as `1 do_cli/1 2b4 1 php_request_startup 0 0 1`: from a place in a function to a place in a function,
    /// and how often. A name may have a number behind it that tells it from others of the same.
    fn line(&mut self, line: &str) {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        let [_, from, _, _, to, at, _, count] = words[..] else {
            return;
        };
        let count = count.parse().unwrap_or(0);
        let plain = |name: &str| name.split(['/', '.']).next().unwrap_or_default().to_owned();
        if at == "0" && from != to {
            let name = plain(to);
            if let Some(which) = ONCE.iter().position(|it| *it == name) {
                self.once[which] += count;
            } else if SCRIPT.iter().any(|it| name.starts_with(it)) {
                self.executed += count;
            }
        }
        if !self.functions.contains(from) {
            self.functions.insert(from.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn requests_are_seen_where_no_call_of_their_start_is() {
        let place = tempfile::tempdir().unwrap();
        fs::write(
            place.path().join("php-fpm.1.fdata"),
            "1 php_request_startup 1e7 1 zend_activate_modules 0 0 120\n\
             1 fpm_request_end 9 1 zend_deactivate_modules/1 0 0 119\n\
             1 zend_execute_scripts.cold/1 24 1 zend_execute_scripts 0 0 360\n",
        )
        .unwrap();
        let counters = BoltCounters {
            programs: place.path(),
            written_to: place.path(),
        };
        let coverage = counters.coverage().unwrap();
        assert_eq!((coverage.requests, coverage.executed), (120, 360));
    }

    #[test]
    fn calls_of_all_processes_are_counted() {
        let place = tempfile::tempdir().unwrap();
        fs::write(
            place.path().join("php.1.fdata"),
            "1 do_cli/1 2b4 1 php_request_startup 0 0 1\n1 do_cli/1 2bf 1 php_execute_script 0 0 7\n",
        )
        .unwrap();
        fs::write(
            place.path().join("php.2.fdata"),
            "1 main 17 1 php_request_startup/1 0 0 3\n1 main 19 1 php_request_startup/1 8 0 9\nbroken\n",
        )
        .unwrap();
        let counters = BoltCounters {
            programs: place.path(),
            written_to: place.path(),
        };
        let coverage = counters.coverage().unwrap();
        assert_eq!((coverage.units, coverage.requests, coverage.executed), (2, 4, 7));
        counters.clear().unwrap();
        assert_eq!(counters.coverage().unwrap().units, 0);
    }
}
