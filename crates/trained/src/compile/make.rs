//! A folder that PHP is built in, outside of its sources.

use super::Options;
use crate::{Error, Watch, depends, log::Log, run, stage::Folder, stage::emptied};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

/// The compiler, and the tool that reads its counters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Compiler {
    /// What it says of itself.
    version: String,
    /// The name of its gcov.
    pub gcov: String,
}

impl Compiler {
    /// The one that configure takes: `$CC`, or gcc. All that is not there of it and of `tools` is named at once.
    pub fn find(tools: &[&str]) -> Result<Self, Error> {
        let name = std::env::var("CC").unwrap_or_else(|_| "gcc".into());
        depends::programs(&[&[name.as_str(), "make"], tools].concat())?;
        let version = run::output(Command::new(&name).arg("--version"))?;
        if version.contains("clang") || !name.contains("gcc") {
            return Err(Error::Asked(format!(
                "{name} is not GCC, whose profiles phperf knows: set CC=gcc"
            )));
        }
        let gcov = name.replacen("gcc", "gcov", 1);
        run::output(Command::new(&gcov).arg("--version"))?;
        let version = version.lines().next().unwrap_or_default().to_owned();
        Ok(Self { version, gcov })
    }
}

/// A folder to build in.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    state: &'a Folder,
    name: &'static str,
    folder: PathBuf,
    jobs: usize,
}

impl<'a> Tree<'a> {
    pub fn new(state: &'a Folder, name: &'static str, jobs: usize) -> Self {
        Self {
            state,
            name,
            folder: state.at(name),
            jobs,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn log(&self) -> Log<'_> {
        self.state.log(self.name)
    }

    /// Clears it, and its log.
    pub fn empty(&self) -> Result<(), Error> {
        emptied(&self.folder)?;
        let log = self.log().path;
        File::create(&log)
            .map(drop)
            .map_err(self.state.full(format!("write {}", log.display())))
    }

    /// What configure writes at its end.
    pub fn is_configured(&self) -> bool {
        self.folder.join("config.status").is_file() && self.folder.join("Makefile").is_file()
    }

    pub fn configure(&self, source: &Path, options: &Options, watch: &mut dyn Watch) -> Result<(), Error> {
        run::logged(
            "configure",
            Command::new(source.join("configure"))
                .current_dir(&self.folder)
                .env("LC_ALL", "C")
                .args(&options.0),
            &self.log(),
            watch,
            |_, _| {},
        )
    }

    /// Whether something is built from a source of that name.
    pub fn has(&self, object: &str) -> Result<bool, Error> {
        let makefile = self.folder.join("Makefile");
        let makefile = fs::read(&makefile).map_err(Error::io(format!("read {}", makefile.display())))?;
        let target = format!("{object}.lo:");
        Ok(String::from_utf8_lossy(&makefile)
            .lines()
            .any(|line| line.starts_with(&target)))
    }

    /// Makes targets; variables of the makefile may stand among them.
    pub fn make(&self, targets: &[&str], flags: &str, watch: &mut dyn Watch) -> Result<(), Error> {
        let command = || {
            let mut command = Command::new("make");
            command
                .current_dir(&self.folder)
                .arg(format!("PROF_FLAGS={flags}"))
                .args(targets)
                .env_remove("MAKEFLAGS")
                .env("LC_ALL", "C")
                // A cache of objects knows nothing of counters beside them.
                .env("CCACHE_DISABLE", "1");
            command
        };
        let of = run::output(command().arg("--dry-run"))?
            .lines()
            .filter(|line| compiles(line))
            .count();
        let mut done = 0;
        run::logged(
            "make",
            command().arg(format!("-j{}", self.jobs)),
            &self.log(),
            watch,
            |line, watch| {
                if compiles(line) {
                    watch.progress(done, of);
                    done += 1;
                }
            },
        )
    }
}

fn compiles(line: &str) -> bool {
    line.contains("--mode=compile")
}

/// Gives every file with counters below a folder to `each`; how many there are.
pub(crate) fn counters(
    folder: &Path,
    mut each: impl FnMut(&Path) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut folders = vec![folder.to_path_buf()];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        let cannot = || Error::io(format!("list {}", folder.display()));
        for entry in fs::read_dir(&folder).map_err(cannot())? {
            let entry = entry.map_err(cannot())?;
            let path = entry.path();
            if entry.file_type().map_err(cannot())?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "gcda") {
                each(&path)?;
                count += 1;
            }
        }
    }
    Ok(count)
}
