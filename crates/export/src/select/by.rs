//! The labels that samples can be told apart by, one at a time.

use crate::{Labels, Saved};
use profile::{Label, Symbols};
use std::{borrow::Cow, collections::BTreeSet};

/// A label: one that every sample has, or one of the texts of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum By {
    /// The process.
    Pid,
    /// The thread.
    Thread,
    /// What the target was doing.
    State,
    /// Of which request it was, or what it waited for.
    Text(Label),
}

impl By {
    /// Every label, in the order in which people are told of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let texts = Label::ALL.into_iter().map(Self::Text);
        [Self::Pid, Self::Thread, Self::State].into_iter().chain(texts)
    }

    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pid => "pid",
            Self::Thread => "thread",
            Self::State => "state",
            Self::Text(label) => label.name(),
        }
    }

    /// The label that [`By::name`] calls `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|by| by.name() == name)
    }

    /// The names of all labels.
    pub fn names() -> String {
        Self::all().map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// What the samples with these labels have, if it is told.
    pub fn value(self, labels: Labels, symbols: &Symbols) -> Option<Cow<'_, str>> {
        match self {
            Self::Pid => labels.pid.map(|pid| pid.to_string().into()),
            Self::Thread => labels.thread.map(|thread| thread.to_string().into()),
            Self::State => labels.state.map(|state| state.name().into()),
            Self::Text(label) => symbols.label(labels.context, label).map(Into::into),
        }
    }

    /// The values in a profile, the first few of them, numbers in their order.
    pub fn values(self, saved: &Saved) -> Vec<String> {
        let values: BTreeSet<(Option<u32>, Cow<'_, str>)> = saved
            .rows
            .iter()
            .filter_map(|row| {
                let value = self.value(row.labels, &saved.symbols)?;
                Some((value.parse().ok(), value))
            })
            .collect();
        values.into_iter().map(|(_, value)| value.into_owned()).collect()
    }
}
