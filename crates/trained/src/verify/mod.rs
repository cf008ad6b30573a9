//! Whether the trained PHP passes what the old one passes of PHP's own tests.

mod results;
mod select;

pub use results::Verified;
pub use select::Depth;

use crate::{Error, Watch, like, run, stage::Folder, stage::emptied};
use results::Results;
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// How many tests are named where more of them fail.
const NAMED: usize = 5;
/// The folder of the tests, and of what they said.
const VERIFY: &str = "verify";
/// The run of those that failed once.
const AGAIN: &str = "again";
/// Seconds that each of these may take: a busy machine is no failure. PHP's runner gives 60.
const PATIENCE: &str = "600";
/// What tells the runner so.
const TIMEOUT: &str = "TEST_TIMEOUT";
/// What says that all tests of a run have ended.
const ENDED: &str = "ended";

/// The tests of a tree of sources, to be run on two PHPs for the command line.
#[derive(Debug)]
pub(crate) struct Tests<'a> {
    pub source: &'a Path,
    pub depth: Depth,
    pub old: &'a Path,
    pub new: &'a Path,
    pub jobs: usize,
}

impl Tests<'_> {
    /// Runs them on the old PHP, on the new one, and once more on the new one those that only it failed. A run that an earlier
    /// attempt brought to its end is not done again, if this one `goes_on`. Afterwards [`Self::judge`] knows all.
    pub fn run(&self, folder: &Folder, goes_on: bool, watch: &mut dyn Watch) -> Result<(), Error> {
        let place = folder.at(VERIFY);
        if !goes_on {
            emptied(&place)?;
        }
        let tests = self.copied(&place)?;
        let mut runs = Runs {
            of: self,
            folder,
            watch,
            done: 0,
            due: 2 * tests.len(),
        };
        runs.once("old", self.old, &tests)?;
        runs.once("new", self.new, &tests)?;
        let worse: Vec<_> = {
            let (old, new) = (read(&place, "old")?, read(&place, "new")?);
            old.worse(&new).map(str::to_owned).collect()
        };
        runs.due += worse.len();
        runs.once(AGAIN, self.new, &worse)
    }

    /// What the runs found; an error where the new PHP fails what the old one passes.
    pub fn judge(folder: &Folder) -> Result<Verified, Error> {
        let place = folder.at(VERIFY);
        let [old, new, again] = ["old", "new", AGAIN].map(|side| read(&place, side));
        let list = file(&place, "old", "list");
        let list = fs::read_to_string(&list).map_err(Error::io(format!("read {}", list.display())))?;
        let tests: Vec<_> = list.lines().collect();
        let (verified, worse) = Verified::of(&tests, [&old?, &new?, &again?]);
        if worse.is_empty() {
            return Ok(verified);
        }
        let named = worse.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = match worse.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Err(Error::Worse {
            tests: named + &more,
            tree: place.join("tree"),
        })
    }

    /// A tree of their own, for they write beside themselves; the tests in it.
    fn copied(&self, place: &Path) -> Result<Vec<String>, Error> {
        let tree = place.join("tree");
        let extensions = self.both()?;
        let folders = select::folders(self.depth, &extensions, self.source);
        if !tree.is_dir() {
            let part = place.join("tree.part");
            emptied(&part)?;
            let copying = || Error::io(format!("copy tests of {}", self.source.display()));
            for within in &folders {
                copy(&self.source.join(within), &part.join(within)).map_err(copying())?;
            }
            fs::copy(self.source.join("run-tests.php"), part.join("run-tests.php")).map_err(copying())?;
            fs::rename(&part, &tree).map_err(copying())?;
        }
        let tests = select::tests(self.depth, &folders, &tree)?;
        if tests.is_empty() {
            return Err(Error::Asked(format!(
                "{} has no tests of PHP: leave --verify away",
                self.source.display()
            )));
        }
        Ok(tests)
    }

    /// The old PHP runs the runner on both sides: what is to be proved is not to judge itself.
    fn command(&self, php: &Path, list: &Path, results: &Path, place: &Path) -> Command {
        let mut command = Command::new(self.old);
        command
            .current_dir(place.join("tree"))
            .args(["run-tests.php", "-q", "--no-color", "--offline"])
            .arg(format!("-j{}", self.jobs))
            .arg("-W")
            .arg(results)
            .arg("-p")
            .arg(php)
            .arg("-r")
            .arg(list)
            .env("NO_INTERACTION", "1")
            .env("LC_ALL", "C")
            .env_remove("TEST_PHP_ARGS")
            .env_remove("TEST_PHP_CGI_EXECUTABLE")
            .env_remove(TIMEOUT);
        if self.depth == Depth::Quick {
            command.env("SKIP_SLOW_TESTS", "1");
        }
        command
    }

    /// Extensions of both.
    fn both(&self) -> Result<Vec<String>, Error> {
        let (old, new) = (like::loads(self.old)?, like::loads(self.new)?);
        Ok(new.into_iter().filter(|name| old.contains(name)).collect())
    }
}

/// The runs of all sides, one after the other.
struct Runs<'a> {
    of: &'a Tests<'a>,
    folder: &'a Folder,
    watch: &'a mut dyn Watch,
    /// Tests that have ended.
    done: usize,
    /// Tests that there are.
    due: usize,
}

impl Runs<'_> {
    /// Runs tests on one side, unless that was done.
    fn once(&mut self, side: &'static str, php: &Path, tests: &[String]) -> Result<(), Error> {
        let after = self.done + tests.len();
        if !file(&self.folder.at(VERIFY), side, ENDED).exists() {
            self.on(side, php, tests)?;
        }
        self.done = after;
        Ok(())
    }

    fn on(&mut self, side: &'static str, php: &Path, tests: &[String]) -> Result<(), Error> {
        let (folder, place) = (self.folder, self.folder.at(VERIFY));
        let (list, results) = (file(&place, side, "list"), file(&place, side, "results"));
        let log = folder.log(&format!("verify-{side}"));
        let writing = |path: &Path| folder.full(format!("write {}", path.display()));
        fs::write(&list, tests.join("\n")).map_err(writing(&list))?;
        fs::write(&results, "").map_err(writing(&results))?;
        fs::write(&log.path, "").map_err(writing(&log.path))?;
        if !tests.is_empty() {
            let mut command = self.of.command(php, &list, &results, &place);
            if side == AGAIN {
                command.env(TIMEOUT, PATIENCE);
            }
            let (done, due) = (&mut self.done, self.due);
            // It ends with a failure wherever a test does.
            run::followed(&mut command, &log, self.watch, |line, watch| {
                if line.contains(".phpt]") {
                    *done = (*done + 1).min(due);
                    watch.progress(*done, due);
                }
            })?;
            if read(&place, side)?.len() == 0 {
                return Err(Error::Step {
                    step: "run-tests.php",
                    said: "no test ended".into(),
                    log: log.path,
                });
            }
        }
        let ended = file(&place, side, ENDED);
        fs::write(&ended, "").map_err(writing(&ended))
    }
}

fn file(place: &Path, side: &str, what: &str) -> PathBuf {
    place.join(format!("{side}.{what}"))
}

fn read(place: &Path, side: &str) -> Result<Results, Error> {
    let path = file(place, side, "results");
    fs::read(&path)
        .map(|bytes| Results::parse(&String::from_utf8_lossy(&bytes)))
        .map_err(Error::io(format!(
            "read {}: start again with --from verify",
            path.display()
        )))
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&path, &target)?;
        } else if path.is_file() {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{stage::tests::Patient, testing::program};
    use php::Binary;

    /// PHP's own runner stands on the machine where its headers do.
    fn runner() -> Option<PathBuf> {
        let runner = PathBuf::from("/usr/lib/php/20220829/build/run-tests.php");
        if !runner.is_file() {
            assert!(
                std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
                "no run-tests.php"
            );
            eprintln!("skipped: no {}", runner.display());
            return None;
        }
        Some(runner)
    }

    const TESTS: [(&str, &str); 5] = [
        // As one that takes too long on a busy machine, unless it may.
        (
            "slow",
            "--TEST--\nslow\n--FILE--\n<?php\n$seen = __DIR__ . '/asked';\n$runs = (int) @file_get_contents($seen) + 1;\n\
             file_put_contents($seen, $runs);\necho $runs == 1 || getenv('TEST_TIMEOUT') ? 'in time' : 'late';\n--EXPECT--\nin time\n",
        ),
        (
            "same",
            "--TEST--\nsame\n--FILE--\n<?php echo 1 + 1;\n--EXPECT--\n2\n",
        ),
        (
            "third",
            "--TEST--\nthird\n--FILE--\n<?php echo 1 / 3;\n--EXPECTF--\n0.33333%d\n",
        ),
        (
            "broken",
            "--TEST--\nbroken\n--FILE--\n<?php echo 3;\n--EXPECT--\n4\n",
        ),
        (
            "flaky",
            "--TEST--\nflaky\n--FILE--\n<?php\n$seen = __DIR__ . '/seen';\n$runs = (int) @file_get_contents($seen) + 1;\n\
             file_put_contents($seen, $runs);\necho $runs == 2 ? 'no' : 'yes';\n--EXPECT--\nyes\n",
        ),
    ];

    fn source(runner: &Path) -> tempfile::TempDir {
        let source = tempfile::tempdir().unwrap();
        let folder = source.path().join("Zend/tests");
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in TESTS {
            fs::write(folder.join(name).with_extension("phpt"), text).unwrap();
        }
        fs::copy(runner, source.path().join("run-tests.php")).unwrap();
        source
    }

    #[test]
    fn what_only_the_old_one_passes_is_found_and_what_is_flaky_is_counted() {
        let Some(runner) = runner() else { return };
        let source = source(&runner);
        let old = Binary::cli().unwrap().path;
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path(), None).unwrap();
        let tests = |new| Tests {
            source: source.path(),
            depth: Depth::Quick,
            old: &old,
            new,
            jobs: 1,
        };
        let alike = tests(&old);
        alike.run(&folder, false, &mut Patient::default()).unwrap();
        let verified = Tests::judge(&folder).unwrap();
        assert_eq!(
            (verified.tests, verified.pass, verified.not_before, verified.flaky),
            (5, 2, 1, 2)
        );

        let worse = place.path().join("worse");
        program(
            &worse,
            &format!(
                "for last; do :; done\ncase \"$last\" in *third*) echo wrong;; *) exec {} \"$@\";; esac",
                old.display()
            ),
        );
        let broken = tests(&worse);
        broken.run(&folder, false, &mut Patient::default()).unwrap();
        let error = Tests::judge(&folder).unwrap_err().to_string();
        assert!(error.contains("Zend/tests/third.phpt"), "{error}");
        assert!(!error.contains("flaky"), "{error}");
    }

    #[test]
    fn a_side_that_was_run_is_not_run_again() {
        let Some(runner) = runner() else { return };
        let source = source(&runner);
        let old = Binary::cli().unwrap().path;
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path(), None).unwrap();
        let tests = Tests {
            source: source.path(),
            depth: Depth::Quick,
            old: &old,
            new: &old,
            jobs: 1,
        };
        tests.run(&folder, false, &mut Patient::default()).unwrap();
        let verify = folder.at(VERIFY);
        fs::remove_file(file(&verify, "new", ENDED)).unwrap();
        fs::remove_file(file(&verify, "again", ENDED)).unwrap();
        fs::write(verify.join("tree/Zend/tests/seen"), "5").unwrap();
        fs::write(file(&verify, "old", "results"), "PASSED\tZend/tests/same.phpt\n").unwrap();
        tests.run(&folder, true, &mut Patient::default()).unwrap();
        assert_eq!(read(&verify, "old").unwrap().len(), 1);
        assert_eq!(read(&verify, "new").unwrap().len(), 5);
    }
}
