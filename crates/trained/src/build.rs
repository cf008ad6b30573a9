//! A trained PHP, and what it is made from.

use crate::{
    Coverage, Depth, Error, Ignored, Level, Same, Stage, Training, Verified, Watch, pipeline::Pipeline,
    programs::Sapis, stage::Key,
};
use std::path::PathBuf;

/// What is to be built.
#[derive(Debug)]
pub struct Settings {
    /// Where everything is kept; nothing else is written to.
    pub folder: PathBuf,
    /// The installed PHP that the new one is to be like.
    pub like: Option<PathBuf>,
    /// Others that it is compared with.
    pub against: Vec<PathBuf>,
    /// Sources: a tree or an archive.
    pub source: Option<PathBuf>,
    /// More options of configure.
    pub configure: Vec<String>,
    /// What it is trained on.
    pub training: Training,
    /// The compiler; the one that configure takes else.
    pub cc: Option<String>,
    /// The processor that a [`Level::march`] compiles for, as GCC's `-march` names it.
    pub march: Option<String>,
    /// Compilers at the same time.
    pub jobs: usize,
    /// How many of PHP's own tests to run on both.
    pub verify: Option<Depth>,
    /// What may differ in answers.
    pub ignored: Ignored,
    /// A package that is wanted afterwards: what stands in its way is told before anything is compiled.
    pub package: Option<PathBuf>,
    /// The first stage that is done anew even if it was done.
    pub from: Option<Stage>,
}

/// A trained PHP, checked.
#[derive(Debug)]
pub struct Built {
    /// Where everything is kept.
    pub(crate) state: PathBuf,
    /// The folder that its programs are in.
    pub(crate) folder: PathBuf,
    /// Its version, such as `8.2.29`.
    pub(crate) version: String,
    /// The programs that it replaces.
    pub(crate) old: Sapis,
    /// How far it went.
    pub level: Level,
    /// Of the last stage that made it.
    pub(crate) key: Key,
    /// What the training counted.
    pub coverage: Coverage,
    /// What the training counted that BOLT laid out its programs after.
    pub bolted: Option<Coverage>,
    /// What it answers as the old one does.
    pub same: Same,
    /// What PHP's own tests said, where they were run.
    pub verified: Option<Verified>,
}

impl Built {
    /// Its programs, the old one first: (`/usr/bin/php8.2`, `…/sapi/cli/php`).
    pub fn programs(&self) -> Vec<(PathBuf, PathBuf)> {
        let new = self.new_programs();
        let both = self.old.iter().zip(new.iter());
        both.map(|((_, old), (_, new))| (old.into(), new.into()))
            .collect()
    }

    /// Those of its programs that replace an old one.
    pub(crate) fn new_programs(&self) -> Sapis {
        self.old.built_in(&self.folder)
    }
}

/// How much of a program's code lies on huge pages of the page cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnHugePages {
    /// The program.
    pub program: PathBuf,
    /// Bytes on huge pages.
    pub there: u64,
    /// Bytes that can lie there.
    pub of: u64,
}

impl Built {
    /// Reads the code of the programs into huge pages again, where they were built for that: what was not used for long is
    /// no longer there. Empty where they were not.
    pub fn warm(&self) -> Result<Vec<OnHugePages>, Error> {
        if !self.level.huge {
            return Ok(Vec::new());
        }
        let warm = |(_, program): (PathBuf, PathBuf)| {
            let (cached, of) = tune::copy::warm(&program)?;
            Ok(OnHugePages {
                program,
                there: cached.huge,
                of,
            })
        };
        self.programs().into_iter().map(warm).collect()
    }
}

/// Builds it to this level. Each stage is done once for what it is made from; what was interrupted goes on.
pub fn build(settings: &Settings, level: Level, watch: &mut dyn Watch) -> Result<Built, Error> {
    let pipeline = Pipeline::open(settings, &[level], watch)?;
    let built = pipeline.make(level, watch)?;
    pipeline.verified(built, watch)
}
