//! Runs a suite: class by class, subject by subject, variant by variant.

pub mod compare;
mod counter;
mod hooks;
mod notes;
mod pilot;
mod profiled;
mod retry;
mod source;
mod trouble;
mod variant;

use crate::{
    Error, Profiler,
    discover::{self, Planned, PlannedClass, PlannedSubject},
    environment,
    executor::Executor,
    launch::Launcher,
    model::{Class, Display, FORMAT, Failure, Metric, Outcome, Subject, Suite, Variant},
    progress::{Event, Progress},
    settings::{ExecutorChoice, Isolation, Sampling, Settings},
};
use counter::Way;
use std::{
    cell::RefCell,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};
use variant::{Asked, Bench};

/// Samples where neither the suite nor the user names a number.
const ITERATIONS: u32 = 10;

/// Runs the suite that `settings` name, and compares it with the earlier run `baseline`; `profiler` records what the executor
/// `profile` runs. `stop` ends it early; what was measured until then is in the suite.
pub fn run(
    settings: &Settings,
    baseline: Option<&Suite>,
    profiler: Option<&RefCell<dyn Profiler>>,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Suite, Error> {
    let scratch = scratch()?;
    let launcher = Launcher::new(settings);
    let planned = discover::discover(settings, &launcher, scratch.path(), stop)?;
    let mut noted = settings.notes.clone();
    noted.extend(planned.notes.iter().cloned());
    noted.extend(notes::odd_state(&planned, settings));
    let fork = settings.isolation == Isolation::Fork && planned.php.fork;
    let bench = Bench {
        settings,
        launcher: &launcher,
        scratch: scratch.path(),
        fork,
        stop,
        baseline,
        profiler,
    };
    let counting = Way::all(&bench, &planned);
    noted.extend(counting.iter().map(Way::note));
    let mut suite = Suite {
        format: FORMAT,
        tag: None,
        started: SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs()),
        environment: environment::collect(&planned.php, settings, fork, &names(&counting)),
        classes: Vec::new(),
        notes: noted,
        partial: false,
    };
    progress.event(&Event::Found {
        planned: &planned,
        variants: count(&planned, settings),
    });
    for class in &planned.classes {
        let complete = run_class(&bench, class, progress, &mut suite)?;
        if !complete {
            break;
        }
    }
    suite.partial = stop.load(Ordering::Relaxed);
    if let Some(baseline) = baseline {
        let more = notes::against(baseline, &suite);
        suite.notes.extend(more);
    }
    progress.event(&Event::End(&suite));
    Ok(suite)
}

/// Runs a class; whether to go on after it.
fn run_class(
    bench: &Bench,
    planned: &PlannedClass,
    progress: &mut dyn Progress,
    suite: &mut Suite,
) -> Result<bool, Error> {
    let mut class = Class {
        name: planned.name.clone(),
        file: planned.file.clone(),
        subjects: Vec::new(),
        failure: planned.failure.clone(),
    };
    if class.failure.is_none() {
        progress.event(&Event::Class(&class));
        class.failure = hooks::call(bench, planned, &planned.before, "before")?;
    }
    if let Some(failure) = &class.failure {
        progress.event(&Event::Failed {
            name: &class.name,
            why: &failure.message,
        });
    }
    let mut go_on = class.failure.is_none() || !bench.settings.stop_on_error;
    if class.failure.is_none() {
        for subject in &planned.subjects {
            go_on = run_subject(bench, planned, subject, progress, &mut class)?;
            if !go_on {
                break;
            }
        }
        // What the first hooks made is taken away also where something failed between them.
        if let Some(failure) = hooks::call(bench, planned, &planned.after, "after")? {
            progress.event(&Event::Failed {
                name: &class.name,
                why: &failure.message,
            });
            class.failure = Some(failure);
        }
    }
    suite.classes.push(class);
    Ok(go_on && !bench.stop.load(Ordering::Relaxed))
}

/// Runs a subject; whether to go on after it.
fn run_subject(
    bench: &Bench,
    class: &PlannedClass,
    planned: &PlannedSubject,
    progress: &mut dyn Progress,
    into: &mut Class,
) -> Result<bool, Error> {
    let sampling = bench.sampling(planned);
    let choice = sampling.executor.clone().unwrap_or_else(ExecutorChoice::usual);
    let executor = Executor::new(&choice, bench.settings);
    let mut subject = Subject {
        name: planned.name.clone(),
        groups: planned.groups.clone(),
        executor: executor
            .as_ref()
            .map_or(choice.name, |executor| executor.name.clone()),
        metric: executor.as_ref().map_or(Metric::Time, |executor| executor.metric),
        display: Display {
            unit: sampling.time_unit.clone(),
            precision: sampling.precision,
            throughput: sampling.mode.as_deref() == Some("throughput"),
        },
        variants: Vec::new(),
        failure: planned.error.as_ref().map(Failure::new),
    };
    let executor = match (subject.failure.take(), executor) {
        (None, Ok(executor)) => executor,
        (failure, executor) => {
            let failure = failure.or_else(|| executor.err().map(|error| Failure::new(error.to_string())));
            progress.event(&Event::Failed {
                name: &format!("{}::{}", class.name, subject.name),
                why: failure.as_ref().map_or("", |failure| failure.message.as_str()),
            });
            subject.failure = failure;
            into.subjects.push(subject);
            return Ok(!bench.settings.stop_on_error);
        }
    };
    let mut go_on = true;
    for asked in variants(planned, &sampling, &executor, &bench.settings.overrides) {
        let mut variant = Variant {
            set: asked.set.name.clone(),
            parameters: asked.set.shown.clone(),
            revolutions: asked.revolutions.unwrap_or(1),
            automatic: asked.revolutions.is_none(),
            warmup: asked.warmup,
            iterations: asked.iterations,
            outcome: Outcome::Failed(Failure::new("not run")),
            assertions: Vec::new(),
            baseline: None,
        };
        progress.event(&Event::Variant {
            class: into,
            subject: &subject,
            variant: &variant,
        });
        let measured = bench.measure(
            class,
            planned,
            &executor,
            &sampling,
            &asked,
            &subject,
            &mut variant,
            progress,
        )?;
        if !measured {
            go_on = false;
            break;
        }
        let format = sampling
            .format
            .as_ref()
            .map(|format| bench.formatted(format, &class.name, &subject, &variant));
        progress.event(&Event::Done {
            class: into,
            subject: &subject,
            variant: &variant,
            format,
        });
        let failed = matches!(variant.outcome, Outcome::Failed(_));
        subject.variants.push(variant);
        if bench.stop.load(Ordering::Relaxed) || failed && bench.settings.stop_on_error {
            go_on = false;
            break;
        }
    }
    into.subjects.push(subject);
    Ok(go_on)
}

/// One variant for each parameter set, number of iterations, of revolutions and of warm-up revolutions.
fn variants<'a>(
    planned: &'a PlannedSubject,
    sampling: &Sampling,
    executor: &Executor,
    typed: &Sampling,
) -> Vec<Asked<'a>> {
    // What makes a good figure makes no profile: only what was asked for of this run counts.
    let sampling = if executor.profiles() {
        &Sampling {
            revs: typed.revs.clone(),
            iterations: Some(typed.iterations.clone().unwrap_or_else(|| vec![1])),
            ..sampling.clone()
        }
    } else {
        sampling
    };
    let revolutions: Vec<Option<u64>> = match &sampling.revs {
        _ if !executor.loops() => vec![Some(1)],
        Some(revs) => revs.iter().map(|&revs| Some(revs.max(1))).collect(),
        None => vec![None],
    };
    let iterations = match &sampling.iterations {
        // Counts of instructions hardly differ between runs, and a run takes a second or two.
        _ if executor.metric == Metric::Instructions => vec![1],
        Some(iterations) => iterations.iter().map(|&iterations| iterations.max(1)).collect(),
        None => vec![ITERATIONS],
    };
    let mut variants = Vec::new();
    for set in &planned.sets {
        for &iterations in &iterations {
            for &revolutions in &revolutions {
                for &warmup in sampling.warmup.as_deref().unwrap_or(&[0]) {
                    variants.push(Asked {
                        set,
                        iterations,
                        revolutions,
                        warmup,
                    });
                }
            }
        }
    }
    variants
}

fn count(planned: &Planned, settings: &Settings) -> usize {
    let one = |subject: &PlannedSubject| {
        let sampling = settings
            .overrides
            .clone()
            .or(&subject.sampling)
            .or(&settings.defaults);
        let several = |length: Option<usize>| length.unwrap_or(1);
        subject.sets.len()
            * several(sampling.revs.as_ref().map(Vec::len))
            * several(sampling.iterations.as_ref().map(Vec::len))
            * several(sampling.warmup.as_ref().map(Vec::len))
    };
    planned
        .classes
        .iter()
        .flat_map(|class| &class.subjects)
        .map(one)
        .sum()
}

/// Ways to count in words, each once.
fn names(ways: &[Way]) -> String {
    let mut names: Vec<_> = ways.iter().map(Way::name).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// A folder for the scripts of a run.
fn scratch() -> Result<tempfile::TempDir, Error> {
    tempfile::Builder::new()
        .prefix("phperf-bench-")
        .tempdir()
        .map_err(Error::io("make a folder for scripts"))
}

/// Where a script of this run lies.
fn script_path(scratch: &Path, name: &str) -> std::path::PathBuf {
    scratch.join(name)
}
