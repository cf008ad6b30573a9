//! What counts: the CPU's own counter, or valgrind's callgrind.

use super::{callgrind::Callgrind, hardware::Hardware};
use crate::{
    discover::Planned,
    executor::Executor,
    model::Metric,
    run::{trouble::Trouble, variant::Bench},
    settings::{Counting, ExecutorChoice},
};
use std::{path::PathBuf, time::Duration};

/// What counts.
#[derive(Clone, Debug)]
pub(in super::super) enum Way {
    /// The CPU's own counter.
    Hardware(Hardware),
    /// Valgrind's callgrind; why not the CPU's counter, where that was not the user's wish.
    Callgrind(Option<String>),
    /// What the user asks for, and cannot be: why.
    Impossible(String),
}

/// Counts runs of one script.
pub(super) trait Runs {
    /// Instructions, in user space, of a run of so many revolutions, with a constant that is the same for all of them.
    fn count(&mut self, revolutions: u64, warmup: u64) -> Result<i64, Trouble>;
}

impl Way {
    /// The way for `executor`, as the user asks for it.
    pub(in super::super) fn of(executor: &Executor, asked: Counting) -> Self {
        if asked == Counting::Callgrind {
            return Self::Callgrind(None);
        }
        let found = if executor.counts() {
            Hardware::instructions()
        } else {
            Err("there is no instructions_sampler among the executor's units".into())
        };
        match found {
            Ok(hardware) => Self::Hardware(hardware),
            Err(why) if asked == Counting::Hardware => Self::Impossible(why),
            Err(why) => Self::Callgrind(Some(why)),
        }
    }

    /// Those of a suite's subjects, each once.
    pub(in super::super) fn all(bench: &Bench<'_>, planned: &Planned) -> Vec<Self> {
        let mut ways: Vec<Self> = Vec::new();
        for subject in planned.classes.iter().flat_map(|class| &class.subjects) {
            let choice = bench.sampling(subject).executor;
            let choice = choice.unwrap_or_else(ExecutorChoice::usual);
            let executor = Executor::new(&choice, bench.settings).ok();
            if let Some(executor) = executor.filter(|executor| executor.metric == Metric::Instructions) {
                let way = Self::of(&executor, bench.settings.counting);
                if ways.iter().all(|known| known.note() != way.note()) {
                    ways.push(way);
                }
            }
        }
        ways
    }

    /// Its name, as settings and reports have it.
    pub(in super::super) const fn name(&self) -> &'static str {
        match self {
            Self::Hardware(_) | Self::Impossible(_) => "hardware",
            Self::Callgrind(_) => "callgrind",
        }
    }

    /// What the reader of the figures has to know.
    pub(in super::super) fn note(&self) -> String {
        match self {
            Self::Hardware(_) => "instructions are counted by the CPU, in user space".into(),
            Self::Callgrind(None) => "instructions are counted by valgrind's callgrind".into(),
            Self::Callgrind(Some(why)) => {
                format!("instructions are counted by valgrind's callgrind, not by the CPU: {why}")
            }
            Self::Impossible(why) => format!("the CPU's counter was asked for and cannot be used: {why}"),
        }
    }

    /// How large the difference of two runs has to be, so that what else varies between them is a ten-thousandth at most.
    pub(super) const fn difference(&self) -> i64 {
        match self {
            Self::Hardware(hardware) => hardware.difference(),
            Self::Callgrind(_) | Self::Impossible(_) => Callgrind::DIFFERENCE,
        }
    }

    /// Makes ready to count runs of `script`.
    pub(super) fn open<'a>(
        &self,
        bench: &Bench<'a>,
        script: PathBuf,
        timeout: Duration,
    ) -> Result<Box<dyn Runs + 'a>, Trouble> {
        match self {
            Self::Hardware(hardware) => Ok(Box::new(hardware.runs(bench, script, timeout)?)),
            Self::Callgrind(_) => Ok(Box::new(Callgrind::new(*bench, script, timeout))),
            Self::Impossible(why) => Err(Trouble::subject(format!(
                "the CPU's counter of instructions cannot be used: {why}; or take --counter callgrind"
            ))),
        }
    }
}
