//! Which samples count: those with a label.

use super::{By, LONGEST};
use crate::{Labels, Saved};
use profile::{Label, State, Symbols, harmless};
use regex_lite::Regex;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// A label that samples have to have, such as `pid=123`. Of several with one label, any will do.
#[derive(Clone, Debug)]
pub struct Focus {
    by: By,
    wanted: Wanted,
}

/// What the label has to be.
#[derive(Clone, Debug)]
enum Wanted {
    /// `uri=/cart`: just this.
    Value(String),
    /// `uri~^/cart`: something in which this is found.
    Like(Regex),
    /// `state=waiting`: runnable or blocked.
    Waiting,
}

/// Why samples cannot be selected so.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FocusError {
    /// Not `LABEL=VALUE`.
    #[error("{0:?} selects nothing: write LABEL=VALUE or LABEL~REGEX, with one of the labels {names}", names = By::names())]
    Form(String),
    /// No such label.
    #[error("there is no label {0:?}; the labels are {names}", names = By::names())]
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
    /// Not a regular expression.
    #[error("--focus {text:?} is no regular expression after the ~: {why}")]
    Expression {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The file does not tell this label.
    #[error(
        "this {format} file does not tell the {label} of its samples; {cure}",
        cure = cure(*.by)
    )]
    NotTold {
        /// The format of the file.
        format: crate::Format,
        /// The label.
        label: &'static str,
        /// The same.
        by: By,
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

/// How to get a file that tells the label.
const fn cure(by: By) -> &'static str {
    const FORMATS: &str = "record as svg, pprof, speedscope or phpspy";
    match by {
        By::Text(Label::Method | Label::Uri | Label::Script) => {
            "record with --request as svg, pprof, speedscope or phpspy"
        }
        By::Text(Label::Query) => "record with --request=query as svg, pprof, speedscope or phpspy",
        By::Text(Label::Cookie) => "record with --request=cookie as svg, pprof, speedscope or phpspy",
        By::Text(Label::Began) => "record with --request=began as svg, pprof, speedscope or phpspy",
        By::Text(Label::Peek) => "record with --peek or --global as svg, pprof, speedscope or phpspy",
        By::Pid | By::Thread | By::State | By::Text(_) => FORMATS,
    }
}

/// At most so many characters of what was given are said back.
fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

impl FromStr for Focus {
    type Err = FocusError;

    fn from_str(text: &str) -> Result<Self, FocusError> {
        let at = text
            .find(['=', '~'])
            .ok_or_else(|| FocusError::Form(short(text)))?;
        let (name, value) = (&text[..at], &text[at + 1..]);
        let name = if name == "tid" { "thread" } else { name };
        let by = By::from_name(name).ok_or_else(|| FocusError::Label(short(name)))?;
        if text[at..].starts_with('~') {
            let wrong = |why: String| FocusError::Expression {
                text: short(text),
                why,
            };
            if value.len() > LONGEST {
                return Err(wrong(format!("it is longer than {LONGEST} bytes")));
            }
            let wanted = Regex::new(value).map_err(|error| wrong(error.to_string()))?;
            return Ok(Self {
                by,
                wanted: Wanted::Like(wanted),
            });
        }
        let wanted = match by {
            By::Pid | By::Thread => match value.parse::<u32>() {
                Ok(number) => Wanted::Value(number.to_string()),
                Err(_) => {
                    return Err(FocusError::Number {
                        label: by.name(),
                        value: short(value),
                    });
                }
            },
            By::State if value == "waiting" => Wanted::Waiting,
            By::State if State::from_name(value).is_none() => return Err(FocusError::State(short(value))),
            By::State | By::Text(_) => Wanted::Value(value.into()),
        };
        Ok(Self { by, wanted })
    }
}

impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.by.name();
        match &self.wanted {
            Wanted::Value(value) => write!(f, "{name}={value}"),
            Wanted::Like(expression) => write!(f, "{name}~{expression}"),
            Wanted::Waiting => write!(f, "{name}=waiting"),
        }
    }
}

impl Focus {
    fn takes(&self, labels: Labels, symbols: &Symbols) -> bool {
        if let Wanted::Waiting = self.wanted {
            return matches!(labels.state, Some(State::Runnable | State::Blocked));
        }
        let value = self.by.value(labels, symbols);
        value.is_some_and(|value| match &self.wanted {
            Wanted::Value(wanted) => value == *wanted,
            Wanted::Like(expression) => expression.is_match(&value),
            Wanted::Waiting => false,
        })
    }
}

/// Whether samples with these labels count.
pub(super) fn selects(focus: &[Focus], labels: Labels, symbols: &Symbols) -> bool {
    focus.iter().all(|one| {
        let same_label = focus.iter().filter(|other| other.by == one.by);
        same_label.into_iter().any(|other| other.takes(labels, symbols))
    })
}

/// Whether anything is left; if not, why.
pub(super) fn check(saved: &Saved, focus: &[Focus]) -> Result<(), FocusError> {
    let symbols = &saved.symbols;
    let mut rows = saved.rows.iter();
    if focus.is_empty() || rows.any(|row| selects(focus, row.labels, symbols)) {
        return Ok(());
    }
    for one in focus {
        if saved.rows.iter().any(|row| one.takes(row.labels, symbols)) {
            continue;
        }
        told(saved, one.by)?;
        return Err(FocusError::NoneLeft {
            wanted: one.to_string(),
            there: format!("{} {}", one.by.name(), values(saved, one.by)),
        });
    }
    let wanted: Vec<_> = focus.iter().map(ToString::to_string).collect();
    Err(FocusError::NoneLeft {
        wanted: wanted.join(" and "),
        there: "each of them, but not together".into(),
    })
}

/// Whether any sample of the profile has the label.
pub(crate) fn told(saved: &Saved, by: By) -> Result<(), FocusError> {
    let mut rows = saved.rows.iter();
    if rows.any(|row| by.value(row.labels, &saved.symbols).is_some()) {
        return Ok(());
    }
    Err(FocusError::NotTold {
        format: saved.format,
        label: by.name(),
        by,
    })
}

/// The values of a label, the first few of them.
fn values(saved: &Saved, by: By) -> String {
    const SHOWN: usize = 8;
    let values = by.values(saved);
    let more = if values.len() > SHOWN { ", …" } else { "" };
    let shown: Vec<_> = values.iter().take(SHOWN).map(|value| short(value)).collect();
    harmless(&(shown.join(", ") + more))
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
            "uri=/a=b~c",
            "uri~^/a=(b|c)",
        ] {
            assert_eq!(text.parse::<Focus>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_name_what_there_is() {
        let error = |text: &str| text.parse::<Focus>().unwrap_err().to_string();
        assert_eq!(
            error("url=/"),
            "there is no label \"url\"; the labels are pid, thread, state, method, uri, script, query, cookie, began, wait, \
             syscall, file, peer, peek"
        );
        for text in [
            "pid",
            "pid=x",
            "pid=-1",
            "thread=99999999999",
            "state=idle",
            "uri~(",
        ] {
            let error = error(text);
            assert!(
                ["pid", "thread=1234", "on-cpu", "uri~("]
                    .iter()
                    .any(|word| error.contains(word)),
                "{error}"
            );
            assert!(!error.contains('\n'));
        }
    }
}
