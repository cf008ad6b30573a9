//! Listens to an iteration until it has ended, one way or another.

use super::{
    super::trouble::Trouble,
    said::{Said, read},
};
use crate::{
    Error,
    launch::{Channel, Child, End, Heard, kill_iteration, signal_in_words, status_in_words},
    model::Failure,
};
use serde_json::{Value, json};
use std::{sync::atomic::AtomicBool, time::Duration};

/// How long a process may take to be gone after it was killed, or has said its last.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// What is done where the measured loop begins and ends; why that cannot be done.
pub(in super::super) type Gate<'a> = &'a mut dyn FnMut(Pass) -> Result<(), String>;

/// Where an iteration waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Pass {
    /// The loop of this process is about to begin.
    Begin(u32),
    /// It is over.
    End,
}

impl Pass {
    fn of(line: &Value) -> Option<Self> {
        match line.get("gate")?.as_str()? {
            "begin" => Some(Self::Begin(u32::try_from(line.get("pid")?.as_u64()?).ok()?)),
            _ => Some(Self::End),
        }
    }
}

/// Does what is to be done there, and lets the iteration go on.
fn pass(gate: Gate<'_>, pass: Pass, channel: &mut Channel) -> Result<(), Trouble> {
    gate(pass).map_err(Trouble::subject)?;
    channel.say(&json!("go"));
    Ok(())
}

/// An iteration in the process that was asked.
pub(super) fn to_one(
    channel: &mut Channel,
    child: &mut Child,
    gate: Gate<'_>,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<Said, Trouble> {
    loop {
        match channel.hear(timeout, stop) {
            Heard::Line(line) => match Pass::of(&line) {
                Some(at) => pass(gate, at, channel)?,
                None => return read(line),
            },
            Heard::Interrupted => return Err(Trouble::Interrupted),
            Heard::TimedOut => return Err(too_long(timeout)),
            Heard::Gone => {
                let end = child.wait(GONE_WITHIN, stop).map_err(Error::io("wait for PHP"))?;
                let how = match end {
                    End::Exited(status) => status_in_words(status),
                    _ => "no end".into(),
                };
                return Err(ended(&how, child));
            }
        }
    }
}

/// An iteration in a fork of the process that was asked: its number, what it says, and how it ended.
pub(super) fn to_fork(
    channel: &mut Channel,
    child: &mut Child,
    gate: Gate<'_>,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<Said, Trouble> {
    let mut pid = None;
    let mut said = None;
    let mut overdue = false;
    loop {
        let limit = if overdue { GONE_WITHIN } else { timeout };
        match channel.hear(limit, stop) {
            Heard::Line(line) => {
                if let Some(at) = Pass::of(&line) {
                    pass(gate, at, channel).inspect_err(|_| pid.into_iter().for_each(kill_iteration))?;
                } else if let Some(number) = line.get("pid").and_then(Value::as_u64) {
                    pid = u32::try_from(number).ok();
                } else if let Some(signal) = line.get("ended").and_then(Value::as_i64) {
                    return match said {
                        _ if overdue => Err(too_long(timeout)),
                        Some(line) => read(line),
                        None if line.get("error").is_some() => read(line),
                        None => Err(ended(&signal_in_words(signal as i32), child)),
                    };
                } else if said.is_none() {
                    said = Some(line);
                } else {
                    // The fork of a fork reports as well.
                    said = Some(
                        json!({ "error": "it forks, and lets the child return: end the child within the subject" }),
                    );
                }
            }
            Heard::TimedOut if !overdue => {
                overdue = true;
                if let Some(pid) = pid {
                    kill_iteration(pid);
                }
            }
            Heard::TimedOut => return Err(too_long(timeout)),
            Heard::Interrupted => {
                if let Some(pid) = pid {
                    kill_iteration(pid);
                }
                return Err(Trouble::Interrupted);
            }
            Heard::Gone => return Err(ended("its whole process is gone", child)),
        }
    }
}

fn too_long(timeout: Duration) -> Trouble {
    Trouble::subject(format!(
        "an iteration took longer than {} s: allow more with #[Timeout] or runner.timeout",
        timeout.as_secs_f64()
    ))
}

fn ended(how: &str, child: &Child) -> Trouble {
    let said = child
        .output()
        .first_line()
        .map(|line| format!("; PHP said: {line}"))
        .unwrap_or_default();
    Trouble::Subject(Failure {
        message: format!("its process ended while it was measured: {how}{said}"),
        detail: Some(child.output().text()).filter(|text| !text.is_empty()),
    })
}
