//! All stages, one after the other, for one level after the other.

use crate::{
    Built, Coverage, Error, Level, Settings, Stage, Training, Watch,
    compile::{Bolt, Compiler, Options, Recipe, options},
    depends, outputs, package,
    programs::{Known, Sapis},
    source::{Origin, SOURCE, fingerprint},
    stage::{Folder, Key},
    verify::Tests,
};
use php::{Binary, Sapi};
use std::{env, path::PathBuf};

/// What is the same for all levels: sources, options and tools.
#[derive(Debug)]
pub(crate) struct Pipeline<'a> {
    settings: &'a Settings,
    known: Known,
    /// The programs that are to be replaced.
    old: Sapis,
    compiler: Compiler,
    bolt: Option<Bolt>,
    pub folder: Folder,
    source: PathBuf,
    /// What the sources say.
    content: u64,
    options: Options,
    /// Of the stage that fetched them.
    fetched: Key,
}

impl<'a> Pipeline<'a> {
    /// Finds all that these levels take, and fetches the sources.
    pub fn open(settings: &'a Settings, levels: &[Level], watch: &mut dyn Watch) -> Result<Self, Error> {
        if let Some(level) = levels.iter().find(|level| level.bolt && level.huge) {
            return Err(Error::Asked(format!(
                "{level}: BOLT puts code into two places, of which only one could lie on huge pages: leave --bolt or --huge away"
            )));
        }
        let known = Known::of(settings)?;
        let old = known.wanted(settings)?;
        if old.has(Sapi::Apache)
            && let Some(level) = levels.iter().find(|level| level.bolt || level.huge)
        {
            return Err(Error::Asked(format!(
                "{level}: mod_php is a library, and only programs are laid out anew: leave --bolt and --huge away"
            )));
        }
        let like = known.like.as_ref();
        let origin = Origin::of(settings.source.as_deref(), like)?;
        let compiler = Compiler::find(settings.cc.as_deref(), origin.tools())?;
        let bolt = levels
            .iter()
            .any(|level| level.bolt)
            .then(Bolt::find)
            .transpose()?;
        if let Some(file) = &settings.package {
            package::can_be_made(file)?;
        }
        let folder = Folder::open(&settings.folder, settings.from)?;
        let step = (Stage::Source, Stage::Source.name());
        let fetched = folder.once(step, Key::default(), &origin, watch, |_, watch| {
            origin.fetch(&folder, watch)
        })?;
        let source = folder.at(SOURCE);
        let content = fingerprint(&source)?;
        let options = options(like, &source, &old, &settings.configure, &compiler, &folder)?;
        depends::libraries(&source, &options)?;
        Ok(Self {
            settings,
            known,
            old,
            compiler,
            bolt,
            folder,
            source,
            content,
            options,
            fetched,
        })
    }

    fn recipe(&self, level: Level) -> Recipe<'_> {
        Recipe {
            source: &self.source,
            options: &self.options,
            compiler: &self.compiler,
            jobs: self.settings.jobs,
            zts: self.known.is_threaded() || self.options.are_threaded(),
            march: self.settings.march.as_deref(),
            level,
            old: &self.old,
        }
    }

    /// Builds a level, and proves that it answers as the old PHP does.
    pub fn make(&self, level: Level, watch: &mut dyn Watch) -> Result<Built, Error> {
        let recipe = self.recipe(level);
        let (mut key, coverage) = self.optimised(&recipe, watch)?;
        let mut built = recipe.optimised(&self.folder);
        let mut bolted = None;
        if level.bolt {
            let bolt = match &self.bolt {
                Some(bolt) => bolt,
                None => &Bolt::find()?,
            };
            let name = level.compiled().named(Stage::Bolt.name());
            let training = &self.settings.training;
            key = self.folder.once(
                (Stage::Bolt, &name),
                key,
                (bolt.version, training, self.servers(), outside()),
                watch,
                |_, watch| {
                    recipe.bolt(bolt, training, &self.folder, watch)?;
                    self.unchanged()
                },
            )?;
            bolted = Some(recipe.bolt_coverage(&self.folder)?);
            built = recipe.bolted(&self.folder);
        }
        if level.huge {
            let name = level.compiled().named(Stage::Place.name());
            key = self
                .folder
                .once((Stage::Place, &name), key, "huge", watch, |_, watch| {
                    recipe.place(&self.folder, watch)
                })?;
            built = recipe.placed(&self.folder);
        }
        watch.stage(Stage::Check, false);
        if let Some(like) = &self.known.like {
            like.is_replaced_by(&Sapis::program(&built, like.binary.sapi))?;
        }
        let same = outputs::compare(
            &self.settings.training,
            &self.old,
            &built,
            &self.settings.ignored,
            watch,
        )?;
        let version = Binary::describe(&Sapis::program(&built, Sapi::Cli), Sapi::Cli)?.version;
        Ok(Built {
            state: self.folder.at(""),
            folder: built,
            version,
            old: self.old.clone(),
            level,
            key,
            coverage,
            bolted,
            same,
            verified: None,
        })
    }

    /// The build after the counters, and what they counted.
    fn optimised(&self, recipe: &Recipe<'_>, watch: &mut dyn Watch) -> Result<(Key, Coverage), Error> {
        let folder = &self.folder;
        let counted = recipe.level.counted();
        let flags = recipe.counting(folder);
        let inputs = (
            self.content,
            &self.source,
            &self.options,
            self.compiler.key(),
            flags,
        );
        let name = counted.named(Stage::Instrument.name());
        let key = folder.once(
            (Stage::Instrument, &name),
            self.fetched,
            inputs,
            watch,
            |goes_on, watch| recipe.instrument(folder, goes_on, watch),
        )?;

        let training: &Training = &self.settings.training;
        let name = counted.named(Stage::Train.name());
        let inputs = (training, self.servers(), outside());
        let key = folder.once((Stage::Train, &name), key, inputs, watch, |_, watch| {
            let built = recipe.instrumented(folder);
            let coverage = training.run(&self.old, &*self.compiler.counters(&built), folder, watch)?;
            self.unchanged()?;
            recipe.keep(folder, coverage)
        })?;
        let coverage = Coverage::kept(&recipe.profile(folder))?;

        let name = recipe.level.compiled().named(Stage::Optimise.name());
        let step = (Stage::Optimise, name.as_str());
        let flags = (recipe.optimising(folder), recipe.optimising_executor(folder));
        let key = folder.once(step, key, flags, watch, |goes_on, watch| {
            recipe.optimise(folder, coverage, goes_on, watch)?;
            self.unchanged()
        })?;
        Ok((key, coverage))
    }

    /// What requests are sent to.
    fn servers(&self) -> Vec<Sapi> {
        self.old.servers().map(|(sapi, _)| sapi).collect()
    }

    /// Whether the sources are what they were when it began.
    fn unchanged(&self) -> Result<(), Error> {
        if fingerprint(&self.source)? == self.content {
            return Ok(());
        }
        self.folder.forget(Stage::Source)?;
        Err(Error::SourceChanged(self.source.clone()))
    }

    /// Runs PHP's own tests on it, where that is wanted.
    pub fn verified(&self, built: Built, watch: &mut dyn Watch) -> Result<Built, Error> {
        let Some(depth) = self.settings.verify else {
            return Ok(built);
        };
        let old = &self.known.tested()?.binary;
        let new = Sapis::program(&built.folder, Sapi::Cli);
        let tests = Tests {
            source: &self.source,
            depth,
            old: &old.path,
            new: &new,
            jobs: self.settings.jobs,
        };
        self.folder.once(
            (Stage::Verify, Stage::Verify.name()),
            built.key,
            (depth, &old.path, &old.version),
            watch,
            |goes_on, watch| tests.run(&self.folder, goes_on, watch),
        )?;
        Ok(Built {
            verified: Some(Tests::judge(&self.folder)?),
            ..built
        })
    }
}

/// Settings of PHP that come from outside.
fn outside() -> [Option<std::ffi::OsString>; 2] {
    ["PHPRC", "PHP_INI_SCAN_DIR"].map(env::var_os)
}
