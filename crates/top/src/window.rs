//! What was seen lately: a table for each second, and no more of them than the longest window has.

use crate::requests::RequestId;
use foldhash::{HashMap, HashMapExt};
use profile::{FunctionId, Location, Sample, State};
use std::collections::VecDeque;

/// The longest window, in seconds.
pub const LONGEST: u64 = 60;
/// The most triples of process, request and function that one second keeps; samples of others are counted and not shown.
const MOST_CELLS: usize = 1 << 14;
const SECOND_NS: u64 = 1_000_000_000;

/// What was seen of a function in a process and a request, in sampling periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// It was the innermost frame.
    pub own: u64,
    /// It was anywhere on the stack; recursion counts once.
    pub total: u64,
    /// The part of `own` that waited.
    pub waiting: u64,
}

impl Cell {
    pub const fn add(&mut self, other: Self) {
        self.own += other.own;
        self.total += other.total;
        self.waiting += other.waiting;
    }
}

/// What was seen of a process or a request, in sampling periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    /// It ran on a CPU.
    pub on_cpu: u64,
    /// It waited.
    pub waiting: u64,
}

impl Doing {
    /// All samples.
    pub const fn samples(self) -> u64 {
        self.on_cpu + self.waiting
    }

    pub const fn add(&mut self, other: Self) {
        self.on_cpu += other.on_cpu;
        self.waiting += other.waiting;
    }
}

/// A process, and a request that it served.
pub type Served = (u32, RequestId);

/// One second's table.
#[derive(Debug, Default)]
struct Second {
    /// Counted from the beginning of the recording.
    number: u64,
    functions: HashMap<(Served, FunctionId), Cell>,
    served: HashMap<Served, Doing>,
    not_kept: u64,
}

/// The sum over some seconds.
#[derive(Debug, Default)]
pub struct Sum {
    pub functions: HashMap<(Served, FunctionId), Cell>,
    pub served: HashMap<Served, Doing>,
    /// Samples whose functions found no room.
    pub not_kept: u64,
}

/// The last seconds.
#[derive(Debug)]
pub struct Window {
    period_ns: u64,
    seconds: VecDeque<Second>,
    /// The functions of one sample, each once, the innermost first.
    stack: Vec<FunctionId>,
    /// For each function, the last sample that it was seen in.
    seen_in: Vec<u64>,
    samples: u64,
}

impl Window {
    pub const fn new(period_ns: u64) -> Self {
        Self {
            period_ns: if period_ns == 0 { 1 } else { period_ns },
            seconds: VecDeque::new(),
            stack: Vec::new(),
            seen_in: Vec::new(),
            samples: 0,
        }
    }

    /// Takes a sample with its request and the frames of its stack. One that stands for many periods, as a wait does, ended when it was
    /// taken: each of its periods counts in the second in which it lay.
    pub fn add(&mut self, sample: &Sample, request: RequestId, frames: impl Iterator<Item = Location>) {
        self.samples += 1;
        self.stack.clear();
        for Location { function, .. } in frames {
            if function.index() >= self.seen_in.len() {
                self.seen_in.resize(function.index() + 1, 0);
            }
            if std::mem::replace(&mut self.seen_in[function.index()], self.samples) != self.samples {
                self.stack.push(function);
            }
        }
        let last = sample.at_ns / SECOND_NS;
        self.advance(last);
        let mut left = u64::from(sample.weight);
        for number in (0..=last).rev().take(LONGEST as usize) {
            let since_ns = sample.at_ns - (number * SECOND_NS).min(sample.at_ns);
            let up_to_here = u64::from(sample.weight).min(since_ns / self.period_ns + 1);
            let periods = up_to_here - (u64::from(sample.weight) - left);
            left -= periods;
            if periods > 0 && !self.count(number, sample, request, periods) || left == 0 {
                break;
            }
        }
    }

    /// Counts in one second; whether that is still there.
    fn count(&mut self, number: u64, sample: &Sample, request: RequestId, periods: u64) -> bool {
        let Some(first) = self.seconds.front().map(|second| second.number) else {
            return false;
        };
        let Some(second) = number
            .checked_sub(first)
            .and_then(|at| self.seconds.get_mut(at as usize))
        else {
            return false;
        };
        let waiting = if sample.state == State::OnCpu { 0 } else { periods };
        let served = (sample.pid, request);
        second.served.entry(served).or_default().add(Doing {
            on_cpu: periods - waiting,
            waiting,
        });
        if second.functions.len() + self.stack.len() > MOST_CELLS {
            second.not_kept += periods;
            return true;
        }
        for (depth, &function) in self.stack.iter().enumerate() {
            let is_leaf = u64::from(depth == 0);
            second.functions.entry((served, function)).or_default().add(Cell {
                own: periods * is_leaf,
                total: periods,
                waiting: waiting * is_leaf,
            });
        }
        true
    }

    /// Makes room for second `last`, in the tables of seconds that are too long ago.
    fn advance(&mut self, last: u64) {
        let first = last.saturating_sub(LONGEST - 1);
        let mut next = self.seconds.back().map_or(first, |second| second.number + 1);
        while next <= last {
            let is_old = self.seconds.front().is_some_and(|second| second.number < first);
            let mut second = if is_old {
                self.seconds.pop_front().unwrap_or_default()
            } else {
                Second::default()
            };
            second.functions.clear();
            second.served.clear();
            second.not_kept = 0;
            second.number = next;
            self.seconds.push_back(second);
            // After a long silence the seconds between are empty and too long ago.
            next = (next + 1).max(first);
            if next > last {
                self.seconds.retain(|second| second.number >= first);
            }
        }
    }

    /// The sum over the seconds from number `from` on.
    pub fn sum(&self, from: u64) -> Sum {
        let mut sum = Sum {
            functions: HashMap::with_capacity(256),
            ..Sum::default()
        };
        for second in self.seconds.iter().filter(|second| second.number >= from) {
            for (&key, &cell) in &second.functions {
                sum.functions.entry(key).or_default().add(cell);
            }
            for (&served, &doing) in &second.served {
                sum.served.entry(served).or_default().add(doing);
            }
            sum.not_kept += second.not_kept;
        }
        sum
    }

    /// The processes and requests of the seconds that are kept.
    pub fn served(&self) -> impl Iterator<Item = Served> {
        self.seconds
            .iter()
            .flat_map(|second| second.served.keys().copied())
    }
}

#[cfg(test)]
mod tests;
