//! The tables, one module each.

mod binary;
mod chains;
mod cost;
mod distance;
mod due;
mod fpm_cost;
mod instructions;
mod lines;
mod memory;
mod pool;
mod slowdown;
mod top;
mod wall;

use crate::bench::Bench;
use common::results::Entry;

/// All of them, in the order in which they are printed.
pub const ALL: &[Entry<Bench>] = &[
    (due::NAME, due::run),
    (cost::NAME, cost::run),
    (instructions::NAME, instructions::run),
    (fpm_cost::NAME, fpm_cost::run),
    (top::NAME, top::run),
    (memory::NAME, memory::run),
    (chains::NAME, chains::run),
    (lines::NAME, lines::run),
    (distance::NAME, distance::run),
    (wall::NAME, wall::run),
    (slowdown::NAME, slowdown::run),
    (binary::NAME, binary::run),
];

/// A bound for each of phperf's sources; others have none.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    kernel: Option<crate::table::Bound>,
    reader: Option<crate::table::Bound>,
}

impl Asked {
    /// What is asked of this profiler.
    pub const fn of(self, profiler: crate::profiler::Profiler) -> Option<crate::table::Bound> {
        use crate::profiler::Profiler;
        match profiler {
            Profiler::Kernel => self.kernel,
            Profiler::Reader => self.reader,
            Profiler::Phpspy => None,
        }
    }

    /// At least so much, of the kernel and of the reader.
    pub const fn at_least(kernel: f64, reader: f64) -> Self {
        use crate::table::Bound::AtLeast;
        Self {
            kernel: Some(AtLeast(kernel)),
            reader: Some(AtLeast(reader)),
        }
    }

    /// Between so much and so much, of both.
    pub const fn between(least: f64, most: f64) -> Self {
        let bound = Some(crate::table::Bound::Between(least, most));
        Self {
            kernel: bound,
            reader: bound,
        }
    }

    /// At most so much, of the kernel and of the reader.
    pub const fn at_most(kernel: f64, reader: f64) -> Self {
        use crate::table::Bound::AtMost;
        Self {
            kernel: Some(AtMost(kernel)),
            reader: Some(AtMost(reader)),
        }
    }

    /// Nothing.
    pub const NOTHING: Self = Self {
        kernel: None,
        reader: None,
    };
}
