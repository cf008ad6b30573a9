//! A subject of one side, as a trial measures it.

use super::{
    super::{callgrind, pilot, source::Source, trouble::Trouble, variant},
    matched::{Matched, One},
    open::Open,
};
use crate::{
    Error,
    executor::Code,
    model::{Metric, Sample},
};
use std::{fs, path::PathBuf, time::Duration};
use trial::{Measured, Subject};

/// Forks of a process whose median is one figure. A process has its own luck (where its memory lies), and forks share it:
/// more of them make no better figure, more processes do.
const FORKS: u32 = 5;

/// Gives figures per revolution, each of a new process.
pub(super) struct Probe<'a> {
    bench: variant::Bench<'a>,
    code: Code<'a>,
    timeout: Duration,
    source: Source<'a>,
    revolutions: u64,
    warmup: u64,
}

/// Both sides of a subject, tried out, with the same number of revolutions; or which side fails, and why.
#[allow(clippy::type_complexity, reason = "an error of the run, or of one side")]
pub(super) fn both<'a>(
    sides: &'a [Open<'a>; 2],
    subject: &'a Matched<'a>,
) -> Result<Result<[Probe<'a>; 2], (usize, String)>, Error> {
    let mut a = Probe::new(&sides[0], &subject.sides[0], subject.warmup)?;
    let mut b = Probe::new(&sides[1], &subject.sides[1], subject.warmup)?;
    let mut found = [1, 1];
    for (index, probe) in [&mut a, &mut b].into_iter().enumerate() {
        match probe.revolutions(subject.revolutions) {
            Ok(revolutions) => found[index] = revolutions,
            Err(Trouble::Run(error)) => return Err(error),
            Err(why) => return Ok(Err((index, why.to_string()))),
        }
    }
    // The slower side's number keeps both samples short.
    let revolutions = found[0].min(found[1]);
    (a.revolutions, b.revolutions) = (revolutions, revolutions);
    Ok(Ok([a, b]))
}

impl<'a> Probe<'a> {
    fn new(side: &'a Open<'a>, one: &'a One<'a>, warmup: u64) -> Result<Self, Error> {
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
        Ok(Self {
            bench,
            code,
            timeout,
            source: Source::new(bench.launcher, &folder, script, bench.fork, timeout, bench.stop)?,
            revolutions: 1,
            warmup,
        })
    }

    /// Tries the subject; as many revolutions as `named`, or else as take about as long as a sample should.
    fn revolutions(&mut self, named: Option<u64>) -> Result<u64, Trouble> {
        let source = &mut self.source;
        let found = match named {
            _ if self.code.executor.metric == Metric::Instructions => named.unwrap_or(callgrind::REVOLUTIONS),
            Some(revolutions) => source.take(0, 1, 0).map(|_| revolutions)?,
            None => pilot::revolutions(self.bench.settings.sample_time, |revolutions| {
                source.take(0, revolutions, 0).map(|sample| sample.raw)
            })?,
        };
        source.renew();
        Ok(found)
    }

    fn figure(&mut self) -> Result<f64, Trouble> {
        if self.code.executor.metric == Metric::Instructions {
            let sample = callgrind::count(
                &self.bench,
                &self.code,
                self.revolutions,
                self.warmup,
                self.timeout,
            )?;
            return Ok(sample.per_revolution());
        }
        let forks = if self.bench.fork { FORKS } else { 1 };
        self.source.renew();
        let samples: Result<Vec<Sample>, Trouble> = (0..forks)
            .map(|iteration| self.source.take(iteration, self.revolutions, self.warmup))
            .collect();
        self.source.renew();
        let mut figures: Vec<f64> = samples?.iter().map(Sample::per_revolution).collect();
        figures.sort_by(f64::total_cmp);
        Ok(figures[figures.len() / 2])
    }
}

impl Subject for Probe<'_> {
    fn measure(&mut self) -> Measured {
        match self.figure() {
            Ok(figure) if figure > 0.0 => Ok(figure),
            Ok(_) => Err(
                "it costs no more than an empty subject (folded away?): there is nothing to compare".into(),
            ),
            Err(why) => Err(why.to_string().into()),
        }
    }
}
