//! Where samples come from: a warm process that forks for each, or a PHP of its own for each.

mod asked;
mod listen;
mod said;
mod starter;
mod warm;
mod zygote;

pub(super) use zygote::Zygote;

use super::trouble::Trouble;
use crate::{
    Error, Profiler,
    launch::Launcher,
    model::{Failure, Sample},
};
use asked::Asked;
use listen::Gate;
pub(super) use listen::Pass;
use said::Said;
use starter::Starter;
use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Duration,
};
use warm::Warm;

/// Takes samples of one variant.
pub(super) struct Source<'a> {
    starter: Starter<'a>,
    fork: bool,
    timeout: Duration,
    warm: Option<Warm>,
}

impl<'a> Source<'a> {
    /// Samples by `script`, which lies in `scratch`.
    pub(super) fn new(
        launcher: &'a Launcher,
        scratch: &Path,
        script: PathBuf,
        fork: bool,
        timeout: Duration,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        Ok(Self {
            starter: Starter::new(launcher, script, &scratch.join("socket"), timeout, stop)?,
            fork,
            timeout,
            warm: None,
        })
    }

    /// Takes a sample. When this returns, its process is gone.
    pub(super) fn take(&mut self, iteration: u32, revolutions: u64, warmup: u64) -> Result<Sample, Trouble> {
        let asked = Asked::sample(revolutions, warmup);
        self.sample(iteration, asked, &mut |_| Ok(()))
    }

    /// Takes a sample that another one follows: its process goes away while that of the next one is made.
    pub(super) fn take_one_of_many(
        &mut self,
        iteration: u32,
        revolutions: u64,
        warmup: u64,
    ) -> Result<Sample, Trouble> {
        let asked = Asked {
            settle: false,
            ..Asked::sample(revolutions, warmup)
        };
        self.sample(iteration, asked, &mut |_| Ok(()))
    }

    /// Takes a sample while `profiler` records.
    pub(super) fn profiled(
        &mut self,
        iteration: u32,
        revolutions: u64,
        warmup: u64,
        profiler: &RefCell<dyn Profiler>,
        name: &str,
    ) -> Result<Sample, Trouble> {
        let asked = Asked {
            gate: true,
            ..Asked::sample(revolutions, warmup)
        };
        self.sample(iteration, asked, &mut |pass| {
            let mut profiler = profiler.borrow_mut();
            match pass {
                Pass::Begin(pid) => profiler.begin(name, pid),
                Pass::End => profiler.end(),
            }
        })
    }

    fn sample(&mut self, iteration: u32, asked: Asked, gate: Gate<'_>) -> Result<Sample, Trouble> {
        let revolutions = asked.revs;
        let (said, _) = self.iterate(asked, gate)?;
        let raw = said.result.as_ref().and_then(|result| result.sample);
        let Some(raw) = raw else {
            return Err(Trouble::subject(
                "its executor takes no sample: no unit sets $result['sample']",
            ));
        };
        let overhead = said.overhead;
        Ok(Sample {
            iteration,
            revolutions,
            raw,
            overhead: overhead.map_or(0, |overhead| overhead.of(revolutions)),
            clock: overhead.map_or(0, |overhead| overhead.clock.round() as i64),
            empty: overhead.map_or(0.0, |overhead| overhead.per_revolution()),
            memory: said.result.and_then(|result| result.memory),
            retried: false,
        })
    }

    /// Lets the warm process go: the next sample is of a new one.
    pub(super) fn renew(&mut self) {
        self.warm = None;
    }

    /// Takes the samples from now on in a fork of `zygote`.
    pub(super) fn fork_of(&mut self, zygote: &mut Zygote) -> Result<(), Trouble> {
        self.warm = None;
        self.warm = Some(zygote.fork(&self.starter)?);
        Ok(())
    }

    /// Runs an iteration that is counted from outside, to its orderly end.
    pub(super) fn run_to_end(&mut self, revolutions: u64, warmup: u64) -> Result<(), Trouble> {
        let asked = Asked {
            calibrate: false,
            ..Asked::sample(revolutions, warmup)
        };
        let (_, served) = self.iterate(asked, &mut |_| Ok(()))?;
        if let Some(Warm { started, channel }) = served {
            drop(channel);
            started
                .borrow_mut()
                .wait(self.timeout, self.starter.stop)
                .map_err(Error::io("wait for PHP"))?;
        }
        Ok(())
    }

    /// Runs an iteration that waits at both ends of its loop, for `gate`.
    pub(super) fn gated(&mut self, revolutions: u64, warmup: u64, gate: Gate<'_>) -> Result<(), Trouble> {
        let asked = Asked {
            calibrate: false,
            gate: true,
            ..Asked::sample(revolutions, warmup)
        };
        self.iterate(asked, gate).map(|_| ())
    }

    /// What an iteration says, and the process, where that serves one iteration only.
    fn iterate(&mut self, asked: Asked, gate: Gate<'_>) -> Result<(Said, Option<Warm>), Trouble> {
        let (fork, timeout, stop) = (self.fork, self.timeout, self.starter.stop);
        let mut warm = match self.warm.take() {
            Some(warm) => warm,
            None => self.starter.start()?,
        };
        let said = {
            let (started, channel) = (&mut *warm.started.borrow_mut(), &mut warm.channel);
            channel.say(&asked.line(fork));
            if fork {
                listen::to_fork(channel, started, gate, asked.settle, timeout, stop)
            } else {
                listen::to_one(channel, started, gate, timeout, stop)
            }
        };
        // A process that may be in disorder is not asked again.
        let said = said?;
        let served = if fork {
            self.warm = Some(warm);
            None
        } else {
            Some(warm)
        };
        if let Some(error) = said.error {
            return Err(Trouble::Subject(Failure {
                detail: said.detail,
                ..Failure::new(error)
            }));
        }
        if !said.output.is_empty() {
            let shown: String = said
                .output
                .lines()
                .next()
                .unwrap_or_default()
                .chars()
                .take(60)
                .collect();
            return Err(Trouble::Subject(Failure {
                message: format!("it prints, which takes time of its own: {shown}"),
                detail: Some(said.output),
            }));
        }
        Ok((said, served))
    }
}

#[cfg(test)]
mod tests;
