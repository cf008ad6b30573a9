//! Listens to an iteration until it has ended, one way or another.

use super::{
    super::trouble::Trouble,
    said::{Said, read},
};
use crate::{
    Error,
    launch::{Channel, Child, End, Heard, is_zombie, kill_iteration, signal_in_words, status_in_words},
    model::Failure,
};
use serde_json::{Value, json};
use std::{
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

/// How long a process may take to be gone after it was killed, or has said its last.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// How often an iteration that says nothing is looked at, whether it is still there: seldom, since it may be measuring.
const LOOK_EVERY: Duration = Duration::from_millis(250);
const FORKS: &str = "it forks, and lets the child return: end the child within the subject";

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

/// An iteration in a fork of the process that was asked. Where it is not to `settle`, this is over as soon as the iteration has
/// said what there is to say: the kernel takes its memory away while the next one is made.
pub(super) fn to_fork(
    channel: &mut Channel,
    child: &mut Child,
    gate: Gate<'_>,
    settle: bool,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<Said, Trouble> {
    let mut pid = None;
    let mut said: Option<Value> = None;
    let mut waiting_for_its_end = settle;
    let mut overdue = false;
    let mut since = Instant::now();
    loop {
        let limit = if overdue { GONE_WITHIN } else { timeout };
        match channel.hear(limit.saturating_sub(since.elapsed()).min(LOOK_EVERY), stop) {
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
                } else {
                    // The fork of a fork reports as well.
                    said = Some(if said.is_some() {
                        json!({ "error": FORKS })
                    } else {
                        line
                    });
                }
                if let (false, Some(pid), Some(line)) = (waiting_for_its_end, pid, &said) {
                    if line.get("of").and_then(Value::as_u64) != Some(pid.into()) {
                        // A fork of the one before, which is still there.
                        said = Some(json!({ "error": FORKS }));
                    } else if line.get("error").is_none() {
                        return read(line.clone());
                    }
                    reap(channel, &mut waiting_for_its_end);
                }
            }
            Heard::TimedOut if !waiting_for_its_end && pid.is_some_and(|pid| is_zombie(pid.into())) => {
                reap(channel, &mut waiting_for_its_end);
            }
            Heard::TimedOut if since.elapsed() < limit => {}
            Heard::TimedOut if !overdue => {
                overdue = true;
                since = Instant::now();
                pid.into_iter().for_each(kill_iteration);
            }
            Heard::TimedOut => return Err(too_long(timeout)),
            Heard::Interrupted => {
                pid.into_iter().for_each(kill_iteration);
                return Err(Trouble::Interrupted);
            }
            Heard::Gone => return Err(ended("its whole process is gone", child)),
        }
    }
}

fn reap(channel: &mut Channel, waiting_for_its_end: &mut bool) {
    channel.say(&json!({ "reap": true }));
    *waiting_for_its_end = true;
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
