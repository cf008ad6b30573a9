//! What a file told, collected.

use crate::{Format, Labels};
use indexmap::IndexMap;
use profile::{LocationId, StackId, State, Symbols};

/// Samples of one stack with the same labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Process, thread, state, request, memory in steps.
    pub labels: Labels,
    /// The stack, in [`Saved::symbols`].
    pub stack: StackId,
    /// How many sampling periods were seen.
    pub count: u64,
    /// The time for which they stand, where the file or its period tells.
    pub wall_ns: Option<u64>,
    /// The part of it spent on a CPU, where the file tells.
    pub cpu_ns: Option<u64>,
}

/// A profile that was read from a file.
#[derive(Debug)]
pub struct Saved {
    /// The format it was in.
    pub format: Format,
    /// What was recorded.
    pub title: Option<String>,
    /// What the file says of how it was recorded, a sentence each.
    pub notes: Vec<String>,
    /// When the recording began, in nanoseconds since 1970.
    pub started_ns: Option<u64>,
    /// The sampling period.
    pub period_ns: Option<u64>,
    /// How long the recording took.
    pub duration_ns: Option<u64>,
    /// Functions, locations, stacks and contexts.
    pub symbols: Symbols,
    /// The samples, each stack and set of labels once.
    pub rows: Vec<Row>,
}

impl Saved {
    /// How many sampling periods were seen in all.
    pub fn samples(&self) -> u64 {
        self.rows.iter().fold(0, |sum, row| sum.saturating_add(row.count))
    }
}

/// Counts and times of equal rows.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: u64,
    wall_ns: Option<u64>,
    cpu_ns: Option<u64>,
}

/// Collects rows; equal ones become one.
pub struct Builder {
    /// Functions, locations and contexts are interned here before [`Builder::add`].
    pub symbols: Symbols,
    /// Everything else that is known of the file; its symbols and rows are set at the end.
    pub saved: Saved,
    rows: IndexMap<(Labels, StackId), Sum>,
}

/// The most notes that are kept of a file.
const MAX_NOTES: usize = 1000;

impl Builder {
    pub fn new(format: Format) -> Self {
        let saved = Saved {
            format,
            title: None,
            notes: Vec::new(),
            started_ns: None,
            period_ns: None,
            duration_ns: None,
            symbols: Symbols::default(),
            rows: Vec::new(),
        };
        Self {
            symbols: Symbols::default(),
            saved,
            rows: IndexMap::new(),
        }
    }

    /// A `key = value` of a text's head.
    pub fn header(&mut self, key: &str, value: &str) {
        let text = || crate::escape::unescape(value, crate::escape::Reserved::Rest);
        match key {
            "title" => self.saved.title = Some(text()),
            "note" => self.note(text()),
            "started_ns" => self.saved.started_ns = value.parse().ok(),
            "period_ns" => self.saved.period_ns = value.parse().ok(),
            "duration_ns" => self.saved.duration_ns = value.parse().ok(),
            _ => {}
        }
    }

    /// A sentence about the recording.
    pub fn note(&mut self, note: String) {
        if self.saved.notes.len() < MAX_NOTES {
            self.saved.notes.push(note);
        }
    }

    /// Adds samples of a stack, its innermost frame first.
    pub fn add(
        &mut self,
        labels: Labels,
        stack: &[LocationId],
        count: u64,
        wall_ns: Option<u64>,
        cpu_ns: Option<u64>,
    ) {
        let stack = self.symbols.intern_stack(stack);
        let sum = self.rows.entry((labels.in_steps(), stack)).or_default();
        let plus = |sum: Option<u64>, more: Option<u64>| match (sum, more) {
            (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
            (one, other) => one.or(other),
        };
        sum.count = sum.count.saturating_add(count);
        sum.wall_ns = plus(sum.wall_ns, wall_ns);
        sum.cpu_ns = plus(sum.cpu_ns, cpu_ns);
    }

    /// The profile; times that the file did not tell follow from its period where it told that.
    pub fn finish(mut self) -> Saved {
        let period = self.saved.period_ns;
        let rows = self.rows.into_iter().map(|((labels, stack), sum)| {
            let wall_ns = sum.wall_ns.or_else(|| Some(sum.count.saturating_mul(period?)));
            let cpu_ns = sum.cpu_ns.or_else(|| match labels.state? {
                State::OnCpu => wall_ns,
                State::Runnable | State::Blocked => Some(0),
            });
            Row {
                labels,
                stack,
                count: sum.count,
                wall_ns,
                cpu_ns,
            }
        });
        self.saved.rows = rows.collect();
        self.saved.symbols = self.symbols;
        self.saved
    }
}
