//! Two commands that run at the same time on one CPU.

use super::{command::Runner, layout::Layout, pin};
use crate::{UsageError, args};
use anyhow::{Result, bail};
use args::Metric;
use rustix::thread::sched_getcpu;
use std::fs;
use trial::{Order, Pair, TrialError};
use wait4::ResUse;

/// Lets the scheduler switch between A and B, every few milliseconds, and compares their CPU time: a CPU that is slower for a
/// while is slower for both.
///
/// Where a program and its libraries lie in memory is drawn when it starts, and some draws are several per cent slower. So A
/// and B get the same draw, and each pair another one.
pub struct Together<'a, 's> {
    sides: [&'a mut Runner<'s>; 2],
    metric: Metric,
    cpu: usize,
    layout: Layout,
}

impl<'a, 's> Together<'a, 's> {
    /// Pins this process to the CPU that was asked for, or to the one that it runs on.
    pub fn new(sides: [&'a mut Runner<'s>; 2], asked: &args::Compare, seed: u64) -> Result<Self> {
        if !matches!(asked.metric, Metric::Cpu | Metric::User) {
            bail!(UsageError(
                "what runs at the same time is compared by its CPU time: add --metric cpu".into()
            ));
        }
        if is_real_time() {
            bail!(UsageError(
                "with real-time priority one command waits for the other: start phperf without it, or leave --together away"
                    .into()
            ));
        }
        let cpu = asked.pin.unwrap_or_else(sched_getcpu);
        pin::to(cpu)?;
        Ok(Self {
            sides,
            metric: asked.metric,
            cpu,
            layout: Layout::fix(seed),
        })
    }

    /// What the reader has to know.
    pub fn note(&self) -> String {
        format!(
            "A and B of a pair ran at the same time on CPU {}, {}.",
            self.cpu,
            self.layout.in_words()
        )
    }

    fn of(&self, usage: &ResUse) -> f64 {
        let usage = &usage.rusage;
        let system = match self.metric {
            Metric::Cpu => usage.stime.as_nanos(),
            _ => 0,
        };
        (usage.utime.as_nanos() + system) as f64
    }
}

impl Pair for Together<'_, '_> {
    fn measure(&mut self, order: Order) -> Result<(f64, f64), TrialError> {
        let failed = |index: usize| move |why: String| TrialError::of_side(index, why);
        self.layout.draw();
        let first = usize::from(order == Order::BFirst);
        let turn = [first, 1 - first];
        for index in turn {
            self.sides[index].prepare().map_err(failed(index))?;
        }
        let mut running = Vec::new();
        for index in turn {
            running.push((index, self.sides[index].start().map_err(failed(index))?));
        }
        let mut figures = [0.0; 2];
        for (index, mut running) in running {
            let end = self.sides[index].judged(running.wait()).map_err(failed(index))?;
            figures[index] = self.of(&end);
        }
        Ok((figures[0], figures[1]))
    }
}

/// Whether this process is scheduled as first in, first out, or in long turns: the 41st word of its line in /proc.
fn is_real_time() -> bool {
    let line = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = line.rsplit(')').next().unwrap_or_default();
    matches!(after_name.split_whitespace().nth(38), Some("1" | "2"))
}
