//! One variant: its script, its number of revolutions, its samples, its assertions.

use super::{counter, pilot, profiled, retry, script_path, source::Source, trouble::Trouble};
use crate::{
    Error, Profiler,
    discover::{PlannedClass, PlannedSet, PlannedSubject},
    executor::{Code, Executor},
    expression,
    launch::Launcher,
    model::{Assertion, Failure, Measurement, Metric, Outcome, Sample, Subject, Suite, Variant, Verdict},
    progress::{Event, Progress},
    settings::{Sampling, Settings},
    statistics,
};
use std::{
    cell::RefCell,
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How long an iteration may take where nothing says so.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The longest time an iteration may be given.
const MAX_TIMEOUT: f64 = 7.0 * 24.0 * 3600.0;
/// How often Ctrl-C is looked for between iterations.
const SLICE: Duration = Duration::from_millis(50);
/// More calls than this are tried with one call first: a subject that forks would double its processes with each.
const UNTRIED: u64 = 4;

/// What all variants of a run share.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    pub(super) settings: &'a Settings,
    pub(super) launcher: &'a Launcher,
    pub(super) scratch: &'a Path,
    /// Whether iterations are forks.
    pub(super) fork: bool,
    pub(super) stop: &'a AtomicBool,
    /// The run to compare with.
    pub(super) baseline: Option<&'a Suite>,
    /// Who records stacks for the executor `profile`.
    pub(super) profiler: Option<&'a RefCell<dyn Profiler>>,
}

/// What is asked of a variant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) set: &'a PlannedSet,
    pub(super) iterations: u32,
    /// `None` where it is to be found.
    pub(super) revolutions: Option<u64>,
    pub(super) warmup: u64,
}

/// The samples, and what ended them early.
struct Taken {
    samples: Vec<Sample>,
    trouble: Option<Trouble>,
}

impl Bench<'_> {
    /// What holds for a subject: the command line's word, else its own, else the configuration's.
    pub(super) fn sampling(&self, subject: &PlannedSubject) -> Sampling {
        self.settings
            .overrides
            .clone()
            .or(&subject.sampling)
            .or(&self.settings.defaults)
    }

    /// Measures a variant; whether there is anything to keep.
    #[allow(clippy::too_many_arguments)] // All of them are what a variant is.
    pub(super) fn measure(
        &self,
        class: &PlannedClass,
        subject: &PlannedSubject,
        executor: &Executor,
        sampling: &Sampling,
        asked: &Asked,
        known: &Subject,
        variant: &mut Variant,
        progress: &mut dyn Progress,
    ) -> Result<bool, Error> {
        let code = Code {
            executor,
            bootstrap: self.settings.bootstrap.as_deref(),
            class,
            subject,
            parameters: &asked.set.serialized,
        };
        let taken = self.samples(&code, sampling, asked, variant, progress);
        variant.outcome = match taken.trouble {
            Some(Trouble::Run(error)) => return Err(error),
            Some(Trouble::Subject(failure)) => Outcome::Failed(failure),
            Some(Trouble::Interrupted) if taken.samples.is_empty() => return Ok(false),
            Some(Trouble::Interrupted) | None => {
                let summary = statistics::summary(&taken.samples, executor.metric);
                Outcome::Measured(Box::new(Measurement {
                    samples: taken.samples,
                    summary,
                }))
            }
        };
        let baseline = self.baseline(&class.name, known, variant);
        variant.baseline = baseline
            .and_then(Variant::measurement)
            .map(|measurement| measurement.summary.clone());
        variant.assertions = sampling
            .assert
            .iter()
            .flatten()
            .map(|text| assertion(text, variant, baseline))
            .collect();
        Ok(true)
    }

    fn samples(
        &self,
        code: &Code,
        sampling: &Sampling,
        asked: &Asked,
        variant: &mut Variant,
        progress: &mut dyn Progress,
    ) -> Taken {
        let mut samples = Vec::new();
        let trouble = self
            .collect(code, sampling, asked, variant, progress, &mut samples)
            .err();
        Taken { samples, trouble }
    }

    fn collect(
        &self,
        code: &Code,
        sampling: &Sampling,
        asked: &Asked,
        variant: &mut Variant,
        progress: &mut dyn Progress,
        samples: &mut Vec<Sample>,
    ) -> Result<(), Trouble> {
        let script = script_path(self.scratch, "sample.php");
        fs::write(&script, code.script()).map_err(Error::io("write the script for samples"))?;
        let mut timeout = timeout(sampling);
        if code.executor.profiles() {
            timeout += profiled::LONGER;
        }
        let mut source = Source::new(self.launcher, self.scratch, script, self.fork, timeout, self.stop)?;
        self.prepare(&mut source, code.executor, asked, variant)?;
        if code.executor.metric == Metric::Instructions {
            drop(source);
            let way = counter::Way::of(code.executor, self.settings.counting);
            let mut counter = counter::Counter::new(*self, *code, timeout, way);
            samples.push(counter.count(variant.revolutions, variant.warmup)?);
            return Ok(());
        }
        if code.executor.profiles() {
            let name = variant.name(&code.class.name, &code.subject.name);
            return profiled::collect(self, &mut source, &name, variant, samples);
        }
        let sleep = Duration::from_micros(sampling.sleep.unwrap_or(0));
        let mut due: Vec<u32> = (0..asked.iterations).collect();
        while !due.is_empty() {
            let last = due.len() - 1;
            for (number, iteration) in due.into_iter().enumerate() {
                if !samples.is_empty() {
                    self.pause(sleep)?;
                }
                let (revolutions, warmup) = (variant.revolutions, asked.warmup);
                samples.push(if number < last && sleep.is_zero() {
                    source.take_one_of_many(iteration, revolutions, warmup)?
                } else {
                    source.take(iteration, revolutions, warmup)?
                });
                let retried = samples.iter().filter(|sample| sample.retried).count();
                progress.event(&Event::Sample {
                    taken: samples.len(),
                    asked: asked.iterations,
                    retried,
                });
            }
            due = match sampling.retry_threshold {
                Some(threshold) if threshold > 0.0 => retry::mark(samples, threshold, asked.iterations),
                _ => Vec::new(),
            };
        }
        Ok(())
    }

    /// Finds the number of revolutions where none is named, and tries a single call where many will follow.
    fn prepare(
        &self,
        source: &mut Source,
        executor: &Executor,
        asked: &Asked,
        variant: &mut Variant,
    ) -> Result<(), Trouble> {
        if let Some(revolutions) = asked.revolutions {
            if executor.metric != Metric::Instructions && revolutions.max(asked.warmup) > UNTRIED {
                source.take(0, 1, 0)?;
            }
            return Ok(());
        }
        variant.revolutions = if executor.metric == Metric::Instructions {
            counter::REVOLUTIONS
        } else if executor.profiles() {
            profiled::revolutions(source)?
        } else {
            pilot::revolutions(self.settings.sample_time, |revolutions| {
                source.take(0, revolutions, 0).map(|sample| sample.raw)
            })?
        };
        Ok(())
    }

    /// The same variant in the run to compare with, where it was measured there.
    fn baseline(&self, class: &str, subject: &Subject, variant: &Variant) -> Option<&Variant> {
        let (_, found) = self.baseline?.same(class, subject, variant)?;
        found.measurement().map(|_| found)
    }

    /// What a subject's own format shows of a variant.
    pub(super) fn formatted(
        &self,
        format: &str,
        class: &str,
        subject: &Subject,
        variant: &Variant,
    ) -> String {
        match &variant.outcome {
            Outcome::Failed(Failure { message, .. }) => message.clone(),
            Outcome::Measured(_) => {
                let baseline = self.baseline(class, subject, variant);
                let scope = expression::Scope::new(Some(subject), variant).baseline(baseline);
                expression::text(format, &scope).unwrap_or_else(|error| format!("({error})"))
            }
        }
    }

    fn pause(&self, time: Duration) -> Result<(), Trouble> {
        let start = Instant::now();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Trouble::Interrupted);
            }
            let left = time.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(SLICE));
        }
    }
}

/// How long an iteration may take.
pub(super) fn timeout(sampling: &Sampling) -> Duration {
    let asked = sampling.timeout.filter(|seconds| *seconds > 0.0);
    asked.map_or(TIMEOUT, |seconds| {
        Duration::from_secs_f64(seconds.min(MAX_TIMEOUT))
    })
}

fn assertion(text: &str, variant: &Variant, baseline: Option<&Variant>) -> Assertion {
    let (verdict, message) = match variant.measurement() {
        None => (Verdict::Error, "there are no samples".to_owned()),
        Some(_) => expression::assert(text, &expression::Scope::new(None, variant).baseline(baseline)),
    };
    Assertion {
        expression: text.into(),
        verdict,
        message,
    }
}
