//! Where the time went, by function: its own share, and its share with all that it called.

pub mod columns;
mod groups;
mod json;
mod text;

pub use groups::Groups;

use crate::{Format, Row, Saved, folded::label};
use foldhash::HashMap;
use profile::{Function, FunctionId, Memory, State};

/// Samples, and the time they stand for where it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Sampling periods.
    pub samples: u64,
    /// Nanoseconds of wall time.
    pub ns: Option<u64>,
}

impl Amount {
    fn add(&mut self, samples: u64, ns: Option<u64>) {
        self.samples = self.samples.saturating_add(samples);
        if let Some(ns) = ns {
            self.ns = Some(self.ns.unwrap_or(0).saturating_add(ns));
        }
    }
}

/// One function's share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name; of an included file, with that file.
    pub name: String,
    /// The file that declares it.
    pub file: Option<String>,
    /// The line of its declaration; 0 where that is not known.
    pub line: u32,
    /// While it was the innermost frame.
    pub own: Amount,
    /// While it was anywhere on the stack; recursion counts once.
    pub total: Amount,
    /// The part of `own` that was spent waiting, where the file tells states.
    pub waiting: Option<u64>,
    /// The most memory that was seen while it was anywhere on the stack, in steps, where the file tells memory.
    pub memory: Option<Memory>,
}

/// Functions by share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was recorded.
    pub title: Option<String>,
    /// The format of the file.
    pub format: Format,
    /// How long the recording took.
    pub duration_ns: Option<u64>,
    /// The sampling period.
    pub period_ns: Option<u64>,
    /// All that was counted.
    pub all: Amount,
    /// The part of it that was spent waiting, where the file tells states.
    pub waiting: Option<u64>,
    /// The most memory that was seen, in steps, where the file tells memory.
    pub memory: Option<Memory>,
    /// The functions, the largest own share first; equal ones by total, then by name.
    pub functions: Vec<Entry>,
}

impl Report {
    /// Adds up all samples of `saved`.
    pub fn new(saved: &Saved) -> Self {
        Self::of(saved, saved.rows.iter())
    }

    /// Adds up some of the rows of `saved`.
    fn of<'a>(saved: &Saved, rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut sums: HashMap<FunctionId, Sum> = HashMap::default();
        let (mut all, mut waiting, mut memory) = (Amount::default(), None, None);
        for (number, row) in rows.enumerate() {
            let waited = row
                .labels
                .state
                .map(|state| if state == State::OnCpu { 0 } else { row.count });
            all.add(row.count, row.wall_ns);
            add(&mut waiting, waited);
            let held = row.labels.memory;
            most(&mut memory, held);
            for (depth, &location) in saved.symbols.stack(row.stack).iter().enumerate() {
                let function: FunctionId = saved.symbols.location(location).function;
                let sum = sums.entry(function).or_default();
                if depth == 0 {
                    sum.own.add(row.count, row.wall_ns);
                    add(&mut sum.waiting, waited);
                }
                if std::mem::replace(&mut sum.last_row, number + 1) != number + 1 {
                    sum.total.add(row.count, row.wall_ns);
                    most(&mut sum.memory, held);
                }
            }
        }
        let mut functions: Vec<_> = sums
            .into_iter()
            .map(|(id, sum)| sum.entry(saved.symbols.function(id), waiting.is_some()))
            .collect();
        functions.sort_by(|one, other| {
            let key = |entry: &Entry| (entry.own.samples, entry.total.samples);
            key(other)
                .cmp(&key(one))
                .then_with(|| one.name.cmp(&other.name))
                .then_with(|| one.file.cmp(&other.file))
                .then_with(|| one.line.cmp(&other.line))
        });
        let Saved {
            title,
            format,
            duration_ns,
            period_ns,
            ..
        } = saved;
        Self {
            title: title.clone(),
            format: *format,
            duration_ns: *duration_ns,
            period_ns: *period_ns,
            all,
            waiting,
            memory,
            functions,
        }
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}

/// The larger of each figure.
fn most(held: &mut Option<Memory>, other: Option<Memory>) {
    if let Some(other) = other {
        let held = held.get_or_insert(other);
        held.used = held.used.max(other.used);
        held.peak = held.peak.max(other.peak);
    }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    own: Amount,
    total: Amount,
    waiting: Option<u64>,
    memory: Option<Memory>,
    /// The last row that counted for `total`, counted from 1.
    last_row: usize,
}

impl Sum {
    fn entry(self, function: &Function, states: bool) -> Entry {
        Entry {
            name: label(function).into_owned(),
            file: function.file.as_deref().map(Into::into),
            line: function.first_line,
            own: self.own,
            total: self.total,
            waiting: states.then(|| self.waiting.unwrap_or(0)),
            memory: self.memory,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read_from, testing};

    fn report() -> Report {
        let bytes = testing::bytes(Format::Phpspy, &testing::profile());
        Report::new(&read_from(&bytes[..]).unwrap())
    }

    #[test]
    fn recursion_counts_once_in_total() {
        let report = report();
        let bar = report
            .functions
            .iter()
            .find(|entry| entry.name == "App\\Foo::bar")
            .unwrap();
        assert_eq!((bar.own.samples, bar.total.samples), (3, 7));
        assert_eq!((report.all.samples, report.waiting), (12, Some(6)));
    }

    #[test]
    fn in_the_terminal() {
        let report = report();
        let mut text = Vec::new();
        report.write_text(80, None, &mut text).unwrap();
        report.write_text(60, Some(2), &mut text).unwrap();
        insta::assert_snapshot!(String::from_utf8(text).unwrap());
    }

    #[test]
    fn as_json() {
        let report = report();
        let mut text = Vec::new();
        report.write_json(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        insta::assert_snapshot!(text);
    }
}
