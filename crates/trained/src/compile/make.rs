//! A folder that PHP is built in, outside of its sources.

use super::Options;
use crate::{Error, Watch, log::Log, run, stage::Folder, stage::emptied};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

/// A folder to build in.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    state: &'a Folder,
    name: String,
    folder: PathBuf,
    jobs: usize,
}

impl<'a> Tree<'a> {
    pub fn new(state: &'a Folder, name: String, jobs: usize) -> Self {
        Self {
            folder: state.at(&name),
            state,
            name,
            jobs,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn log(&self) -> Log<'_> {
        self.state.log(&self.name)
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
