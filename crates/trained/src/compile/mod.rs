//! PHP, compiled twice: with counters, and after them.

mod make;
mod options;
mod place;

pub(crate) use make::{Compiler, counters};
pub(crate) use options::{Options, options};
pub(crate) use place::PLACED;

use crate::{Error, Watch, missing, stage::Folder};
use make::Tree;
use php::Sapi;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// How far the compiler goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Level {
    /// All files are optimised together when they are linked (LTO).
    pub lto: bool,
    /// The programs are linked so that all of their code can lie on huge pages.
    pub huge: bool,
}

/// Which programs are wanted. Both are always built: that costs a few files, and another training no other build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sapis {
    /// `php`.
    pub cli: bool,
    /// `php-fpm`.
    pub fpm: bool,
}

impl Sapis {
    /// Where a program is, below the folder that it is built in.
    pub(crate) fn program(folder: &Path, sapi: Sapi) -> PathBuf {
        folder.join(match sapi {
            Sapi::Cli => "sapi/cli/php",
            Sapi::Fpm => "sapi/fpm/php-fpm",
        })
    }
}

/// Objects that GCC compiles alone only: they keep global variables in registers.
const ALONE: [&str; 2] = ["Zend/zend_execute", "ext/opcache/jit/zend_jit_vm_helpers"];

/// What both builds are made from.
#[derive(Debug)]
pub(crate) struct Recipe<'a> {
    pub source: &'a Path,
    pub options: &'a Options,
    pub jobs: usize,
    pub zts: bool,
    /// The processor that is compiled for, as GCC's `-march` names it.
    pub march: Option<&'a str>,
}

impl Recipe<'_> {
    /// What the instrumented build is compiled with. Its notes let gcov name the functions.
    pub fn counting(&self) -> String {
        let mut flags = "-fprofile-generate -ftest-coverage".to_owned();
        if self.zts {
            flags += " -fprofile-update=prefer-atomic";
        }
        flags + &self.processor()
    }

    /// What the optimised build is compiled with. A profile of other code is an error; code that never ran has none.
    pub fn optimising(&self, level: Level) -> String {
        let mut flags =
            "-fprofile-use -fprofile-correction -Werror=coverage-mismatch -Wmissing-profile".to_owned();
        if level.lto {
            let _ = write!(flags, " -flto={}", self.jobs);
        }
        flags + &self.processor()
    }

    /// Both builds have it: what a processor can do decides which code there is to count.
    fn processor(&self) -> String {
        self.march
            .map(|name| format!(" -march={name}"))
            .unwrap_or_default()
    }

    /// Compiles PHP with counters.
    pub fn instrument(&self, folder: &Folder, goes_on: bool, watch: &mut dyn Watch) -> Result<(), Error> {
        let tree = self.tree(folder, INSTRUMENTED, goes_on, watch)?;
        tree.make(&["all"], &self.counting(), watch)?;
        Self::check(&tree)?;
        // Programs of the build itself ran with counters, too.
        counters(tree.folder(), |path| {
            std::fs::remove_file(path).map_err(Error::io(format!("remove {}", path.display())))
        })
        .map(drop)
    }

    /// Compiles PHP after the counters that lie in `profile`, of so many files.
    pub fn optimise(
        &self,
        folder: &Folder,
        (profile, files): (&Path, usize),
        level: Level,
        goes_on: bool,
        watch: &mut dyn Watch,
    ) -> Result<(), Error> {
        let left = counters(profile, |_| Ok(()))?;
        if left != files {
            return Err(Error::Lost(format!(
                "{left} of {files} files of counters are left in {}: start again with --from train",
                profile.display()
            )));
        }
        let tree = self.tree(folder, OPTIMISED, goes_on, watch)?;
        // GCC looks for counters beside the object that it makes.
        counters(profile, |from| {
            let to = tree.folder().join(from.strip_prefix(profile).unwrap_or(from));
            std::fs::create_dir_all(to.parent().unwrap_or(&to))
                .and_then(|()| std::fs::copy(from, &to).map(drop))
                .map_err(folder.full(format!("copy {}", from.display())))
        })?;
        if level.lto {
            for object in ALONE {
                if tree.has(object)? {
                    tree.make(
                        &[&format!("{object}.lo")],
                        &self.optimising(Level::default()),
                        watch,
                    )?;
                }
            }
        }
        tree.make(&["all"], &self.optimising(level), watch)?;
        Self::check(&tree)?;
        let log = std::fs::read(tree.log().path).map_err(Error::io("read the log of the optimised build"))?;
        match missing::unprofiled(&String::from_utf8_lossy(&log), tree.folder(), profile) {
            Some(file) => Err(Error::Lost(format!("{file} was compiled without its counters"))),
            None => Ok(()),
        }
    }

    /// A configured tree to build in.
    fn tree<'a>(
        &'a self,
        folder: &'a Folder,
        name: &'static str,
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

    /// Whether all programs are there.
    fn check(tree: &Tree<'_>) -> Result<(), Error> {
        let mut programs = [Sapi::Cli, Sapi::Fpm]
            .map(|sapi| Sapis::program(tree.folder(), sapi))
            .into_iter();
        match programs.find(|program| !program.is_file()) {
            Some(lost) => Err(Error::Step {
                step: "make",
                said: format!("it did not build {}", lost.display()),
                log: tree.log().path,
            }),
            None => Ok(()),
        }
    }
}

/// The folder of the build with counters.
pub(crate) const INSTRUMENTED: &str = "instrumented";
/// The folder of the build after them.
pub(crate) const OPTIMISED: &str = "optimised";
