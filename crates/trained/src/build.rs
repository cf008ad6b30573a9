//! All stages, one after the other.

use crate::{
    Coverage, Error, Ignored, Level, Like, Same, Sapis, Stage, Training, Watch,
    compile::{Compiler, INSTRUMENTED, OPTIMISED, Options, PLACED, Recipe, counters, options},
    depends,
    outputs::{self, Sides},
    package,
    source::{Origin, SOURCE, fingerprint},
    stage::{Folder, emptied},
    verify::{Depth, Tests, Verified},
};
use php::{Binary, Sapi};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

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
    /// How far the compiler goes.
    pub level: Level,
    /// The processor to compile for, as GCC's `-march` names it; any of its architecture else.
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
    /// Its programs.
    pub sapis: Sapis,
    pub(crate) old: Sides,
    /// What the training counted.
    pub coverage: Coverage,
    /// What it answers as the old one does.
    pub same: Same,
    /// What PHP's own tests said, where they were run.
    pub verified: Option<Verified>,
    /// Whether its programs are linked for huge pages.
    huge: bool,
}

impl Built {
    /// Its programs, the old one first: (`/usr/bin/php8.2`, `…/sapi/cli/php`).
    pub fn programs(&self) -> Vec<(PathBuf, PathBuf)> {
        [(&self.old.cli, Sapi::Cli), (&self.old.fpm, Sapi::Fpm)]
            .into_iter()
            .filter_map(|(old, sapi)| Some((old.clone()?, Sapis::program(&self.folder, sapi))))
            .collect()
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
        if !self.huge {
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

/// Builds it. Each stage is done once for what it is made from; what was interrupted goes on.
pub fn build(settings: &Settings, watch: &mut dyn Watch) -> Result<Built, Error> {
    let training = &settings.training;
    let like = settings.like.as_deref().map(Like::describe).transpose()?;
    let sapis = wanted(training, like.as_ref())?;
    let old = old(settings, like.as_ref(), sapis)?;
    let origin = Origin::of(settings.source.as_deref(), like.as_ref())?;
    let compiler = Compiler::find(origin.tools())?;
    if let Some(file) = &settings.package {
        package::can_be_made(file)?;
    }
    let mut folder = Folder::open(&settings.folder, settings.from)?;

    folder.once(Stage::Source, &origin, watch, |folder, _, watch| {
        origin.fetch(folder, watch)
    })?;
    let source = folder.at(SOURCE);
    let content = fingerprint(&source)?;
    let options = options(like.as_ref(), &source, &settings.configure, &folder)?;
    depends::libraries(&source, &options)?;
    let recipe = Recipe {
        source: &source,
        jobs: settings.jobs,
        zts: is_threaded(like.as_ref(), &options),
        options: &options,
        march: settings.march.as_deref(),
    };

    let inputs = (content, &source, &options, &compiler, recipe.counting());
    folder.once(Stage::Instrument, inputs, watch, |folder, goes_on, watch| {
        recipe.instrument(folder, goes_on, watch)
    })?;
    let unchanged = |folder: &Folder| {
        if fingerprint(&source)? == content {
            return Ok(());
        }
        folder.forget(Stage::Source)?;
        Err(Error::SourceChanged(source.clone()))
    };

    // Settings of PHP that come from outside.
    let outside = ["PHPRC", "PHP_INI_SCAN_DIR"].map(env::var_os);
    let profile = folder.at("profile");
    folder.once(Stage::Train, (training, outside), watch, |folder, _, watch| {
        let coverage = training.run(folder, &compiler, watch)?;
        unchanged(folder)?;
        keep(folder, &profile, coverage)
    })?;
    let coverage = kept(&profile)?;

    let inputs = recipe.optimising(Level {
        huge: false,
        ..settings.level
    });
    folder.once(Stage::Optimise, inputs, watch, |folder, goes_on, watch| {
        recipe.optimise(folder, (&profile, coverage.files), settings.level, goes_on, watch)?;
        unchanged(folder)
    })?;

    let mut built = folder.at(OPTIMISED);
    if settings.level.huge {
        folder.once(Stage::Place, "huge", watch, |folder, _, watch| {
            recipe.place(folder, settings.level, watch)
        })?;
        built = folder.at(PLACED);
    }
    watch.stage(Stage::Check, false);
    if let Some(like) = &like {
        like.is_replaced_by(&Sapis::program(&built, like.binary.sapi))?;
    }
    let same = outputs::compare(training, &old, &built, &settings.ignored, watch)?;
    let verified = match settings.verify {
        None => None,
        Some(depth) => {
            let (old, new) = (
                tested(settings, like.as_ref())?,
                Sapis::program(&built, Sapi::Cli),
            );
            let tests = Tests {
                source: &source,
                depth,
                old: &old.binary.path,
                new: &new,
                jobs: settings.jobs,
            };
            folder.once(
                Stage::Verify,
                (depth, &old.binary.path, &old.binary.version),
                watch,
                |folder, goes_on, watch| tests.run(folder, goes_on, watch),
            )?;
            Some(Tests::judge(&folder)?)
        }
    };
    let version = Binary::describe(&Sapis::program(&built, Sapi::Cli), Sapi::Cli)?.version;
    Ok(Built {
        state: folder.at(""),
        folder: built,
        version,
        sapis,
        old,
        coverage,
        same,
        verified,
        huge: settings.level.huge,
    })
}

/// The programs that the training needs, and the one that the new PHP is to be like.
fn wanted(training: &Training, like: Option<&Like>) -> Result<Sapis, Error> {
    let mut sapis = training.sapis();
    if sapis == Sapis::default() {
        return Err(Error::Asked(
            "nothing to train on: give --train-cli 'SCRIPT', or --root with --request or --access-log".into(),
        ));
    }
    match like.map(|like| like.binary.sapi) {
        Some(Sapi::Cli) => sapis.cli = true,
        Some(Sapi::Fpm) => sapis.fpm = true,
        None => {}
    }
    Ok(sapis)
}

/// The old PHPs that are known, the most important one first.
fn known(settings: &Settings, like: Option<&Like>) -> Result<Vec<Like>, Error> {
    let mut known = Vec::new();
    for path in &settings.against {
        known.push(Like::describe(path)?);
    }
    let sibling = like
        .and_then(Like::sibling)
        .map(|path| Like::describe(&path))
        .transpose()?;
    known.extend(like.cloned());
    known.extend(
        sibling.filter(|sibling| like.is_some_and(|like| like.binary.version == sibling.binary.version)),
    );
    Ok(known)
}

/// The old PHP that runs PHP's own tests.
fn tested(settings: &Settings, like: Option<&Like>) -> Result<Like, Error> {
    let mut known = known(settings, like)?.into_iter();
    known.find(|like| like.binary.sapi == Sapi::Cli).ok_or_else(|| {
        Error::Asked(
            "PHP's own tests need a php for the command line to compare with: name one with --against".into(),
        )
    })
}

/// The old program for each kind.
fn old(settings: &Settings, like: Option<&Like>, sapis: Sapis) -> Result<Sides, Error> {
    let known = known(settings, like)?;
    let of = |wanted: bool, sapi: Sapi, name: &str| match known.iter().find(|like| like.binary.sapi == sapi) {
        _ if !wanted => Ok(None),
        Some(like) => Ok(Some(like.binary.path.clone())),
        None => Err(Error::Asked(format!(
            "there is no {name} to compare with: name one with --against"
        ))),
    };
    Ok(Sides {
        cli: of(sapis.cli, Sapi::Cli, "php")?,
        fpm: of(sapis.fpm, Sapi::Fpm, "php-fpm")?,
    })
}

fn is_threaded(like: Option<&Like>, options: &Options) -> bool {
    like.is_some_and(|like| like.binary.zts) || options.0.iter().any(|option| option == "--enable-zts")
}

const COVERAGE: &str = "coverage";

/// Puts the counters of a training aside: the next one begins with none.
fn keep(folder: &Folder, profile: &Path, coverage: Coverage) -> Result<(), Error> {
    emptied(profile)?;
    let built = folder.at(INSTRUMENTED);
    counters(&built, |from| {
        let to = profile.join(from.strip_prefix(&built).unwrap_or(from));
        fs::create_dir_all(to.parent().unwrap_or(profile))
            .and_then(|()| fs::copy(from, &to).map(drop))
            .map_err(folder.full(format!("copy {}", from.display())))
    })?;
    let text = format!("{} {} {}\n", coverage.files, coverage.requests, coverage.executed);
    fs::write(profile.join(COVERAGE), text).map_err(folder.full("write what was counted".into()))
}

fn kept(profile: &Path) -> Result<Coverage, Error> {
    let path = profile.join(COVERAGE);
    let text = fs::read_to_string(&path).map_err(Error::io(format!("read {}", path.display())))?;
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let mut next = || match numbers.next() {
        Some(Ok(number)) => Ok(number),
        _ => Err(Error::Lost(format!(
            "{} is broken: start again with --from train",
            path.display()
        ))),
    };
    Ok(Coverage {
        files: next()? as usize,
        requests: next()?,
        executed: next()?,
    })
}
