//! What each line cost by itself, and each call with all that it called.

use crate::counts::Counts;
use profile::{FunctionId, Location, State, Symbols};
use std::collections::{BTreeMap, HashSet};

/// Sampling periods: all, and those on a CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub periods: u64,
    pub on_cpu: u64,
}

impl Cost {
    const fn add(&mut self, other: Self) {
        self.periods = self.periods.saturating_add(other.periods);
        self.on_cpu = self.on_cpu.saturating_add(other.on_cpu);
    }
}

/// One function's costs.
#[derive(Debug, Default)]
pub struct Costs {
    /// By line, while it was the innermost frame.
    pub own: BTreeMap<u32, Cost>,
    /// By line and the function that was called there, with all that was called in turn.
    pub calls: BTreeMap<(u32, FunctionId), Cost>,
}

/// All functions' costs.
#[derive(Debug, Default)]
pub struct Table {
    pub functions: BTreeMap<FunctionId, Costs>,
    /// Samples without a frame.
    pub without: Cost,
    pub all: Cost,
}

impl Table {
    pub fn new(counts: &Counts, symbols: &Symbols) -> Self {
        let mut table = Self::default();
        let mut seen = HashSet::new();
        for (key, periods) in counts.iter() {
            let is_on_cpu = key.labels.state == Some(State::OnCpu);
            let cost = Cost {
                periods,
                on_cpu: if is_on_cpu { periods } else { 0 },
            };
            table.all.add(cost);
            let stack = symbols.stack(key.stack).iter().map(|&id| symbols.location(id));
            let stack: Vec<Location> = stack.collect();
            let Some(leaf) = stack.first() else {
                table.without.add(cost);
                continue;
            };
            let line = |location: &Location| location.line.number();
            table
                .of(leaf.function)
                .own
                .entry(line(leaf))
                .or_default()
                .add(cost);
            // A call that is on the stack several times, by recursion, took its time once.
            seen.clear();
            for pair in stack.windows(2) {
                let [inner, outer] = pair else { continue };
                let call = (line(outer), inner.function);
                if seen.insert((outer.function, call)) {
                    table.of(outer.function).calls.entry(call).or_default().add(cost);
                }
            }
        }
        table
    }

    fn of(&mut self, function: FunctionId) -> &mut Costs {
        self.functions.entry(function).or_default()
    }
}
