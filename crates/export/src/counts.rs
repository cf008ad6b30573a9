//! Samples counted by stack and labels: all that an aggregating format keeps while it records.

use crate::{Labels, Seen};
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use profile::{FunctionId, LocationId, StackId, Symbols};

/// What tells one count from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub labels: Labels,
    pub stack: StackId,
}

/// How many periods were seen of each stack with the same labels. Memory is counted in steps: else each sample would be a
/// count of its own.
#[derive(Debug, Default)]
pub struct Counts(IndexMap<Key, u64, RandomState>);

impl Counts {
    pub fn add(&mut self, seen: &Seen) {
        let key = Key {
            labels: seen.labels.in_steps(),
            stack: seen.stack,
        };
        let count = self.0.entry(key).or_default();
        *count = count.saturating_add(seen.periods);
    }

    /// Whether the state is told of everything that was counted.
    pub fn tells_states(&self) -> bool {
        self.0.keys().all(|key| key.labels.state.is_some())
    }

    /// In the order of first sight.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Key, u64)> + '_ {
        self.0.iter().map(|(&key, &count)| (key, count))
    }
}

/// Functions of a stack, the outermost first: stacks that differ in lines alone have equal paths.
pub type Path = Box<[FunctionId]>;

/// The path of a stack.
pub fn path(symbols: &Symbols, stack: StackId) -> Path {
    symbols
        .stack(stack)
        .iter()
        .rev()
        .map(|&id: &LocationId| symbols.location(id).function)
        .collect()
}

/// Counts by path, sorted by path so that what shares its outer frames lies together.
pub fn by_path(symbols: &Symbols, counts: impl Iterator<Item = (StackId, u64)>) -> Vec<(Path, u64)> {
    let mut paths: IndexMap<Path, u64> = IndexMap::new();
    for (stack, count) in counts {
        let sum = paths.entry(path(symbols, stack)).or_default();
        *sum = sum.saturating_add(count);
    }
    let mut paths: Vec<_> = paths.into_iter().collect();
    paths.sort_unstable();
    paths
}
