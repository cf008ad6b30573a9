//! PHP, compiled twice: with counters, and after them.

mod bolt;
mod compiler;
mod level;
mod make;
mod options;
mod place;
mod processor;

pub(crate) use bolt::Bolt;
pub(crate) use compiler::Compiler;
pub use level::{Level, Part};
pub(crate) use options::{Options, options};

use crate::{
    Coverage, Error, Watch, counters::each, missing, programs::Sapis, stage::Folder, stage::emptied,
};
use make::Tree;
use php::Sapi;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What a level's programs are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe<'a> {
    pub source: &'a Path,
    pub options: &'a Options,
    pub compiler: &'a Compiler,
    pub jobs: usize,
    pub zts: bool,
    /// The processor that is compiled for where the level says so, as the compiler's `-march` names it.
    pub march: Option<&'a str>,
    pub level: Level,
    /// What is to be replaced.
    pub old: &'a Sapis,
}

impl Recipe<'_> {
    /// The folder of the build with counters.
    pub fn instrumented(&self, folder: &Folder) -> PathBuf {
        folder.at(&self.level.counted().named("instrumented"))
    }

    /// The folder of what was counted.
    pub fn profile(&self, folder: &Folder) -> PathBuf {
        folder.at(&self.level.counted().named("profile"))
    }

    /// The folder of the build after the counters.
    pub fn optimised(&self, folder: &Folder) -> PathBuf {
        folder.at(&self.optimised_name())
    }

    fn optimised_name(&self) -> String {
        self.level.compiled().named("optimised")
    }

    /// What the instrumented build is compiled with.
    pub fn counting(&self, folder: &Folder) -> String {
        let mut flags = self.compiler.counting(&self.instrumented(folder), self.zts) + &self.processor();
        if self.old.has(Sapi::Apache) {
            // The loader asks a library which of several functions it is to take (IFUNC) before it has bound the one that
            // finds variables of threads, which counters are: this way there is nothing to bind.
            flags += " -ftls-model=initial-exec";
        }
        flags
    }

    /// What the optimised build is compiled with.
    pub fn optimising(&self, folder: &Folder) -> String {
        let profile = self.profile(folder);
        self.compiler.optimising(&profile, self.level, self.jobs) + &self.processor()
    }

    /// What PHP's executor is compiled with.
    pub fn optimising_executor(&self, folder: &Folder) -> String {
        let alone = Self {
            level: self.level.counted(),
            ..*self
        };
        alone.optimising(folder) + &self.compiler.for_executor()
    }

    /// Both builds have it: what a processor can do decides which code there is to count.
    fn processor(&self) -> String {
        self.march
            .filter(|_| self.level.march)
            .map(|name| format!(" -march={name}"))
            .unwrap_or_default()
    }

    /// Compiles PHP with counters.
    pub fn instrument(&self, folder: &Folder, goes_on: bool, watch: &mut dyn Watch) -> Result<(), Error> {
        let name = self.level.counted().named("instrumented");
        let tree = self.tree(folder, name, goes_on, watch)?;
        tree.make(&["all"], &self.counting(folder), watch)?;
        self.check(&tree)?;
        if let Some(processor) = self.march.filter(|_| self.level.march) {
            processor::runs(&Sapis::program(tree.folder(), Sapi::Cli), processor)?;
        }
        // Programs of the build itself ran with counters, too.
        self.compiler.counters(tree.folder()).clear()
    }

    /// Puts the counters of a training aside: the next one begins with none.
    pub fn keep(&self, folder: &Folder, coverage: Coverage) -> Result<(), Error> {
        let (built, profile) = (self.instrumented(folder), self.profile(folder));
        emptied(&profile)?;
        each(&built, self.compiler.ending(), |from| {
            copied(
                from,
                &profile.join(from.strip_prefix(&built).unwrap_or(from)),
                folder,
            )
        })?;
        coverage.keep(&profile)
    }

    /// Compiles PHP after the counters of so many files that were put aside.
    pub fn optimise(
        &self,
        folder: &Folder,
        coverage: Coverage,
        goes_on: bool,
        watch: &mut dyn Watch,
    ) -> Result<(), Error> {
        let profile = self.profile(folder);
        let left = each(&profile, self.compiler.ending(), |_| Ok(()))?;
        let due = self.compiler.files(coverage);
        if left != due {
            return Err(Error::Lost(format!(
                "{left} of {due} files of counters are left in {}: start again with --from train",
                profile.display()
            )));
        }
        let tree = self.tree(folder, self.optimised_name(), goes_on, watch)?;
        if self.compiler.looks_beside() {
            each(&profile, self.compiler.ending(), |from| {
                let to = tree.folder().join(from.strip_prefix(&profile).unwrap_or(from));
                copied(from, &to, folder)
            })?;
        }
        // Before all others: make then finds it done.
        for object in self.compiler.executor() {
            if tree.has(object)? {
                tree.make(
                    &[&format!("{object}.lo")],
                    &self.optimising_executor(folder),
                    watch,
                )?;
            }
        }
        tree.make(&["all"], &self.optimising(folder), watch)?;
        self.check(&tree)?;
        let log = fs::read(tree.log().path).map_err(Error::io("read the log of the optimised build"))?;
        match missing::unprofiled(&String::from_utf8_lossy(&log), tree.folder(), &profile) {
            Some(file) => Err(Error::Lost(format!("{file} was compiled without its counters"))),
            None => Ok(()),
        }
    }

    /// The programs that are built: those of the command line and of PHP-FPM always, since that costs a few files, and another
    /// training no other build.
    fn sapis(&self) -> Vec<Sapi> {
        let more = [Sapi::Cgi, Sapi::Apache].into_iter();
        let more = more.filter(|sapi| self.old.has(*sapi));
        [Sapi::Cli, Sapi::Fpm].into_iter().chain(more).collect()
    }

    /// Links the programs of the optimised build once more, with these flags, below another folder; which these are.
    fn link(
        &self,
        folder: &Folder,
        to: &Path,
        flags: &str,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Sapi>, Error> {
        let linked: Vec<_> = self.sapis().into_iter().filter_map(target).collect();
        let mut targets: Vec<_> = linked.iter().map(|(_, name, _)| (*name).to_owned()).collect();
        for (sapi, _, variable) in &linked {
            let program = Sapis::program(to, *sapi);
            fs::create_dir_all(program.parent().unwrap_or(&program))
                .map_err(folder.full(format!("make a folder for {}", program.display())))?;
            targets.push(format!("{variable}={}", program.display()));
        }
        let targets: Vec<_> = targets.iter().map(String::as_str).collect();
        let flags = format!("{} {flags}", self.optimising(folder));
        Tree::new(folder, self.optimised_name(), self.jobs).make(&targets, &flags, watch)?;
        Ok(linked.into_iter().map(|(sapi, ..)| sapi).collect())
    }

    /// Whether all programs are there.
    fn check(&self, tree: &Tree<'_>) -> Result<(), Error> {
        let sapis = self.sapis().into_iter();
        let mut programs = sapis.map(|sapi| Sapis::program(tree.folder(), sapi));
        match programs.find(|program| !program.is_file()) {
            Some(lost) => Err(Error::Step {
                step: "make",
                said: format!("it did not build {}", lost.display()),
                log: tree.log().path,
            }),
            None => Ok(()),
        }
    }

    /// A configured tree to build in.
    fn tree<'a>(
        &'a self,
        folder: &'a Folder,
        name: String,
        goes_on: bool,
        watch: &mut dyn Watch,
    ) -> Result<Tree<'a>, Error> {
        let tree = Tree::new(folder, name, self.jobs);
        if !(goes_on && tree.is_configured()) {
            tree.empty()?;
            tree.configure(self.source, self.options, watch)?;
        }
        Ok(tree)
    }
}

/// What links a program, and the variable that names it. A library is not linked anew.
const fn target(sapi: Sapi) -> Option<(Sapi, &'static str, &'static str)> {
    match sapi {
        Sapi::Cli => Some((sapi, "cli", "SAPI_CLI_PATH")),
        Sapi::Fpm => Some((sapi, "fpm", "SAPI_FPM_PATH")),
        Sapi::Cgi => Some((sapi, "cgi", "SAPI_CGI_PATH")),
        Sapi::Apache => None,
    }
}

fn copied(from: &Path, to: &Path, folder: &Folder) -> Result<(), Error> {
    fs::create_dir_all(to.parent().unwrap_or(to))
        .and_then(|()| fs::copy(from, to).map(drop))
        .map_err(folder.full(format!("copy {}", from.display())))
}
