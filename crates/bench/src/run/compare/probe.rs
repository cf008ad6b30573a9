//! A subject of one side, as a trial measures it.

use super::{
    super::{
        counter, pilot,
        source::{Source, Zygote},
        trouble::Trouble,
        variant,
    },
    matched::One,
    open::Open,
};
use crate::{
    Error,
    executor::Code,
    launch::Launcher,
    model::{Metric, Sample},
};
use std::{fs, path::Path, path::PathBuf, time::Duration};
use trial::Measured;

/// Gives samples of one side.
pub(super) struct Probe<'a> {
    bench: variant::Bench<'a>,
    folder: PathBuf,
    source: Source<'a>,
    counter: Option<counter::Counter<'a>>,
    pub(super) revolutions: u64,
    warmup: u64,
    /// What was subtracted of the samples since the process is there, in nanoseconds.
    overheads: Vec<i64>,
}

impl<'a> Probe<'a> {
    pub(super) fn new(side: &'a Open<'a>, one: &'a One<'a>, warmup: u64) -> Result<Self, Error> {
        let bench = side.bench();
        let code = Code {
            executor: &one.executor,
            bootstrap: bench.settings.bootstrap.as_deref(),
            class: one.class,
            subject: one.subject,
            parameters: &one.set.serialized,
        };
        // All sources of a side are open at the same time.
        let folder = tempfile::Builder::new()
            .prefix("subject-")
            .tempdir_in(bench.scratch)
            .map(tempfile::TempDir::keep)
            .map_err(Error::io("make a folder for a script"))?;
        let script: PathBuf = folder.join("sample.php");
        fs::write(&script, code.script()).map_err(Error::io("write the script for samples"))?;
        let timeout = variant::timeout(&one.sampling);
        let counts = code.executor.metric == Metric::Instructions;
        Ok(Self {
            counter: counts.then(|| {
                let way = counter::Way::of(code.executor, bench.settings.counting);
                counter::Counter::new(bench, code, timeout, way)
            }),
            source: Source::new(bench.launcher, &folder, script, bench.fork, timeout, bench.stop)?,
            bench,
            folder,
            revolutions: 1,
            warmup,
            overheads: Vec::new(),
        })
    }

    pub(super) fn launcher(&self) -> &'a Launcher {
        self.bench.launcher
    }

    /// Where its files lie.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether its samples are forks of one process.
    pub(super) fn forks(&self) -> bool {
        self.bench.fork && self.counter.is_none()
    }

    /// Tries the subject; as many revolutions as `named`, or else as take about `wanted`.
    pub(super) fn find_revolutions(&mut self, named: Option<u64>, wanted: Duration) -> Result<u64, Trouble> {
        let source = &mut self.source;
        Ok(match named {
            _ if self.counter.is_some() => named.unwrap_or(counter::REVOLUTIONS),
            Some(revolutions) => source.take(0, 1, 0).map(|_| revolutions)?,
            None => {
                let wanted = wanted.min(self.bench.settings.sample_time);
                pilot::revolutions(wanted, |revolutions| {
                    source.take(0, revolutions, 0).map(|sample| sample.raw)
                })?
            }
        })
    }

    /// Measures in a fork of `zygote`, or else in a process of its own, from now on.
    pub(super) fn renew(&mut self, zygote: Option<&mut Zygote<'_>>) -> Result<(), Trouble> {
        self.overheads.clear();
        self.source.renew();
        match zygote {
            Some(zygote) => self.source.fork_of(zygote),
            None => Ok(()),
        }
    }

    /// Lets the process go.
    pub(super) fn rest(&mut self) {
        self.source.renew();
    }

    /// The next sample, with all that is not the subject's.
    pub(super) fn turn(&mut self) -> Measured {
        let sample: Result<Sample, Trouble> = match &mut self.counter {
            Some(counter) => counter.count(self.revolutions, self.warmup),
            None => self.source.take(0, self.revolutions, self.warmup),
        };
        let sample = sample.map_err(|why| why.to_string())?;
        self.overheads.push(sample.overhead);
        Ok(sample.raw as f64)
    }

    /// What a revolution takes, from what a sample does; 0 or less where that is no more than an empty subject takes.
    pub(super) fn net(&mut self, raw: f64) -> f64 {
        self.overheads.sort_unstable();
        let overhead = self.overheads.get(self.overheads.len() / 2).copied().unwrap_or(0);
        (raw - overhead as f64) / self.revolutions as f64
    }
}
