//! Which samples count: those with a label.

use crate::{Labels, Saved};
use profile::State;
use std::{collections::BTreeSet, fmt, str::FromStr};
use thiserror::Error;

/// A label that samples have to have, such as `pid=123`. Of several with one label, any will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// `pid=123`.
    Pid(u32),
    /// `thread=123`.
    Thread(u32),
    /// `state=on-cpu`, `state=runnable`, `state=blocked`.
    State(State),
    /// `state=waiting`: runnable or blocked.
    Waiting,
}

/// Why samples cannot be selected so.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FocusError {
    /// Not `LABEL=VALUE`.
    #[error("{0:?} selects nothing: write LABEL=VALUE, with one of the labels pid, thread, state")]
    Form(String),
    /// No such label.
    #[error("there is no label {0:?}; the labels are pid, thread, state")]
    Label(String),
    /// Not a number.
    #[error("{label}={value} is no number of a process or thread; write it as {label}=1234")]
    Number {
        /// The label.
        label: &'static str,
        /// What was given.
        value: String,
    },
    /// No such state.
    #[error(
        "there is no state {0:?}; the states are on-cpu, runnable, blocked, and waiting for the last two"
    )]
    State(String),
    /// The file does not tell this label.
    #[error(
        "this {format} file does not tell the {label} of its samples; record as svg, pprof, speedscope or phpspy"
    )]
    NotTold {
        /// The format of the file.
        format: crate::Format,
        /// The label.
        label: &'static str,
    },
    /// The label has other values.
    #[error("no sample has {wanted}; the profile has {there}")]
    NoneLeft {
        /// What was asked for.
        wanted: String,
        /// What there is.
        there: String,
    },
}

impl FromStr for Focus {
    type Err = FocusError;

    fn from_str(text: &str) -> Result<Self, FocusError> {
        let short = |text: &str| text.chars().take(80).collect::<String>();
        let (label, value) = text
            .split_once('=')
            .ok_or_else(|| FocusError::Form(short(text)))?;
        let number = |label| {
            let error = |_| FocusError::Number {
                label,
                value: short(value),
            };
            value.parse::<u32>().map_err(error)
        };
        match label {
            "pid" => number("pid").map(Self::Pid),
            "thread" | "tid" => number("thread").map(Self::Thread),
            "state" if value == "waiting" => Ok(Self::Waiting),
            "state" => State::from_name(value)
                .map(Self::State)
                .ok_or_else(|| FocusError::State(short(value))),
            _ => Err(FocusError::Label(short(label))),
        }
    }
}

impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pid(pid) => write!(f, "pid={pid}"),
            Self::Thread(thread) => write!(f, "thread={thread}"),
            Self::State(state) => write!(f, "state={}", state.name()),
            Self::Waiting => f.write_str("state=waiting"),
        }
    }
}

impl Focus {
    const fn label(self) -> &'static str {
        match self {
            Self::Pid(_) => "pid",
            Self::Thread(_) => "thread",
            Self::State(_) | Self::Waiting => "state",
        }
    }

    fn takes(self, labels: Labels) -> bool {
        match self {
            Self::Pid(pid) => labels.pid == Some(pid),
            Self::Thread(thread) => labels.thread == Some(thread),
            Self::State(state) => labels.state == Some(state),
            Self::Waiting => matches!(labels.state, Some(State::Runnable | State::Blocked)),
        }
    }
}

/// Whether samples with these labels count.
pub(super) fn selects(focus: &[Focus], labels: Labels) -> bool {
    focus.iter().all(|one| {
        let same_label = focus.iter().filter(|other| other.label() == one.label());
        same_label.into_iter().any(|other| other.takes(labels))
    })
}

/// Whether anything is left; if not, why.
pub(super) fn check(saved: &Saved, focus: &[Focus]) -> Result<(), FocusError> {
    if focus.is_empty() || saved.rows.iter().any(|row| selects(focus, row.labels)) {
        return Ok(());
    }
    for one in focus {
        if saved.rows.iter().any(|row| one.takes(row.labels)) {
            continue;
        }
        let label = one.label();
        let there = values(saved, label);
        if there.is_empty() {
            return Err(FocusError::NotTold {
                format: saved.format,
                label,
            });
        }
        return Err(FocusError::NoneLeft {
            wanted: one.to_string(),
            there: format!("{label} {there}"),
        });
    }
    let wanted: Vec<_> = focus.iter().map(ToString::to_string).collect();
    Err(FocusError::NoneLeft {
        wanted: wanted.join(" and "),
        there: "each of them, but not together".into(),
    })
}

/// The values of a label, the first few of them.
fn values(saved: &Saved, label: &str) -> String {
    const SHOWN: usize = 8;
    let number = |number: Option<u32>| number.map(|number| (number, number.to_string()));
    let values: BTreeSet<(u32, String)> = saved
        .rows
        .iter()
        .filter_map(|row| match label {
            "pid" => number(row.labels.pid),
            "thread" => number(row.labels.thread),
            _ => row
                .labels
                .state
                .map(|state| (state as u32, state.name().to_owned())),
        })
        .collect();
    let more = if values.len() > SHOWN { ", …" } else { "" };
    let shown: Vec<_> = values.into_iter().take(SHOWN).map(|(_, value)| value).collect();
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_focus_is_written_as_it_is_read() {
        for text in [
            "pid=1",
            "thread=4294967295",
            "state=on-cpu",
            "state=runnable",
            "state=waiting",
        ] {
            assert_eq!(text.parse::<Focus>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_name_what_there_is() {
        let error = |text: &str| text.parse::<Focus>().unwrap_err().to_string();
        assert_eq!(
            error("url=/"),
            "there is no label \"url\"; the labels are pid, thread, state"
        );
        for text in ["pid", "pid=x", "pid=-1", "thread=99999999999", "state=idle"] {
            let error = error(text);
            assert!(
                error.contains("pid") || error.contains("thread=1234") || error.contains("on-cpu"),
                "{error}"
            );
            assert!(!error.contains('\n'));
        }
    }
}
