//! `phperf build`.

mod levels;
mod load;
mod measure;
mod progress;
pub mod swap;

use crate::{UsageError, args, compare, interrupt};
use anyhow::{Result, bail};
use compare::Files;
use progress::Progress;
use std::{
    io::{self, BufRead, IsTerminal, Write},
    thread,
};
use trained::{Built, Depth, Error, Ignored, Settings, Stage, Training, Verified};

/// Exit code of what Ctrl-C ended.
const INTERRUPTED: u8 = 130;
/// Where nobody knows how many CPUs there are.
const JOBS: usize = 2;

/// Builds, checks, measures, installs.
pub fn run(asked: &args::Build) -> Result<u8> {
    let plan = measure::plan(asked)?;
    let ignored =
        Ignored::new(&asked.ignored).map_err(|error| UsageError(format!("--ignore-output: {error}")))?;
    let (training, notes) = load::training(asked)?;
    let files = Files::open(&asked.measuring.answer)?;
    for note in &notes {
        eprintln!("phperf: {note}");
    }
    let runs_something = training.site.is_some() || !training.scripts.is_empty();
    if runs_something && !asked.yes && !is_allowed(&training, asked)? {
        eprintln!("phperf: nothing was done");
        return Ok(0);
    }
    let stop = interrupt::flag(format!("what was done is kept in {}", asked.output.display()))?;
    let settings = Settings {
        folder: asked.output.clone(),
        like: asked.like.clone(),
        against: asked.against.clone(),
        source: asked.source.clone(),
        configure: asked.configure.clone(),
        training,
        cc: asked.cc.clone(),
        march: asked.march.clone(),
        jobs: asked.jobs.map_or_else(
            || thread::available_parallelism().map_or(JOBS, usize::from),
            usize::from,
        ),
        verify: asked.verify.map(depth),
        ignored,
        package: asked.deb.clone(),
        from: asked.from.map(stage),
    };
    let mut progress = Progress::new(&stop, asked.measuring.quiet);
    let chosen = levels::build(&settings, plan, asked, &mut progress);
    progress.clear();
    let (built, steps) = match chosen {
        Ok(chosen) => {
            progress.end();
            chosen
        }
        Err(error @ Error::Interrupted) => {
            eprintln!("phperf: {error}");
            return Ok(INTERRUPTED);
        }
        Err(Error::Asked(why)) => bail!(UsageError(why)),
        Err(error) => return Err(error.into()),
    };
    let mut facts = facts(&built)?;
    if let Some(processor) = asked.march.as_deref().filter(|_| built.level.march) {
        facts.push(format!(
            "compiled for the processor {processor}: on others it may not start, and is no drop-in."
        ));
    }
    if !steps.is_empty() {
        for step in &steps {
            eprint!("{}", levels::lines(step));
        }
        facts.extend(levels::sentences(&steps, &built));
    }
    for (_, new) in built.programs() {
        eprintln!("phperf: built {}", new.display());
    }
    let code = if asked.no_measure {
        for fact in facts {
            eprintln!("phperf: {fact}");
        }
        0
    } else {
        let report = measure::report(&built, &settings.training, plan, asked, &stop, facts)?;
        files.write(&report)?;
        compare::exit_code(&asked.measuring.answer, report)?
    };
    if let Some(prefix) = &asked.install {
        for path in trained::install(&built, prefix)? {
            eprintln!("phperf: installed {}", path.display());
        }
    }
    if let Some(file) = &asked.deb {
        eprintln!("phperf: wrote {}", trained::package(&built, file)?.display());
    }
    Ok(code)
}

/// What was proved on the way.
fn facts(built: &Built) -> Result<Vec<String>> {
    let (coverage, same) = (built.coverage, built.same);
    let mut facts = vec![
        format!(
            "trained on {} requests and scripts, each of which was counted; {} {} have counters.",
            coverage.requests, coverage.units, coverage.unit
        ),
        format!(
            "{} pages and {} scripts are answered byte for byte as before.",
            same.pages, same.scripts
        ),
    ];
    if let Some(bolted) = built.bolted {
        facts.push(format!(
            "laid out by BOLT after {} requests and scripts more, each of which was counted; {} {} have counters.",
            bolted.requests, bolted.units, bolted.unit
        ));
    }
    if same.ignoring > 0 {
        facts.push(format!(
            "{} of these only without what --ignore-output leaves out.",
            same.ignoring
        ));
    }
    if let Some(verified) = built.verified {
        facts.push(told(verified));
    }
    for placed in built.warm()? {
        facts.push(format!(
            "{} of {} MB of the code of {} lie on huge pages.",
            placed.there >> 20,
            placed.of >> 20,
            placed.program.display()
        ));
    }
    Ok(facts)
}

fn told(verified: Verified) -> String {
    format!(
        "of {} tests of PHP's own, {} pass on both; {} did not pass on the old PHP, {} are skipped by the new one only, {} \
         failed on the new one once and passed when run again.",
        verified.tests, verified.pass, verified.not_before, verified.skipped, verified.flaky
    )
}

/// Says what will run, and asks.
fn is_allowed(training: &Training, asked: &args::Build) -> Result<bool> {
    let mut runs = Vec::new();
    if let Some(site) = &training.site {
        let user = site
            .user
            .as_deref()
            .map_or("you".to_owned(), |user| format!("user {user}"));
        let root = asked.root.clone().unwrap_or_default();
        runs.push(format!(
            "requests of {} pages below {} as {user}",
            site.pages.len(),
            root.display()
        ));
    }
    runs.extend(training.scripts.iter().map(|script| format!("`{script}` as you")));
    let warning = format!(
        "this runs your own application many times: {}. What it writes to its database and files is written",
        runs.join("; ")
    );
    if !io::stdin().is_terminal() {
        bail!(UsageError(format!("{warning}: allow it with --yes")));
    }
    eprint!("phperf: {warning}. Go on? [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

const fn depth(depth: args::BuildDepth) -> Depth {
    match depth {
        args::BuildDepth::Quick => Depth::Quick,
        args::BuildDepth::Full => Depth::Full,
    }
}

const fn stage(stage: args::BuildStage) -> Stage {
    match stage {
        args::BuildStage::Source => Stage::Source,
        args::BuildStage::Instrument => Stage::Instrument,
        args::BuildStage::Train => Stage::Train,
        args::BuildStage::Optimise => Stage::Optimise,
        args::BuildStage::Bolt => Stage::Bolt,
        args::BuildStage::Place => Stage::Place,
        args::BuildStage::Choose => Stage::Choose,
        args::BuildStage::Verify => Stage::Verify,
    }
}
