//! Where samples come from: a warm process that forks for each, or a PHP of its own for each.

use super::trouble::Trouble;
use crate::{
    Error,
    launch::{Channel, Child, Heard, Launcher, kill_iteration, signal_in_words},
    model::{Failure, Memory, Sample},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Duration,
};

/// How long PHP may take to load a class and its bootstrap.
const READY_WITHIN: Duration = Duration::from_secs(60);
/// How long a process may take to be gone after it was killed, or has said its last.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// Takes samples of one variant.
pub(super) struct Source<'a> {
    launcher: &'a Launcher,
    script: PathBuf,
    socket: PathBuf,
    listener: UnixListener,
    fork: bool,
    timeout: Duration,
    stop: &'a AtomicBool,
    warm: Option<(Child, Channel)>,
}

/// What an iteration says.
#[derive(Debug, Deserialize)]
struct Said {
    result: Option<Measured>,
    overhead: Option<Overhead>,
    error: Option<String>,
    detail: Option<String>,
    #[serde(default)]
    output: String,
}

#[derive(Debug, Deserialize)]
struct Measured {
    sample: Option<i64>,
    memory: Option<Memory>,
}

/// What the clock and an empty subject cost, in nanoseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Overhead {
    clock: f64,
    empty: f64,
    /// What it costs when its code runs for the first time, as the subject's does.
    first: i64,
    revs: u64,
}

impl Overhead {
    /// An empty subject's cost per revolution.
    fn per_revolution(&self) -> f64 {
        (self.empty - self.clock).max(0.0) / self.revs.max(1) as f64
    }

    /// What of a sample of so many revolutions is not the subject's.
    fn of(&self, revolutions: u64) -> i64 {
        if revolutions == self.revs {
            return self.first;
        }
        self.first + (self.per_revolution() * (revolutions as f64 - self.revs as f64)).round() as i64
    }
}

impl<'a> Source<'a> {
    /// Samples by `script`, which lies in `scratch`.
    pub(super) fn new(
        launcher: &'a Launcher,
        scratch: &Path,
        script: PathBuf,
        fork: bool,
        timeout: Duration,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let socket = scratch.join("socket");
        let _ = fs::remove_file(&socket);
        Ok(Self {
            launcher,
            script,
            listener: Channel::listen(&socket)?,
            socket,
            fork,
            timeout,
            stop,
            warm: None,
        })
    }

    /// Takes a sample.
    pub(super) fn take(&mut self, iteration: u32, revolutions: u64, warmup: u64) -> Result<Sample, Trouble> {
        let said = self.iterate(revolutions, warmup, true)?;
        let raw = said.result.as_ref().and_then(|result| result.sample);
        let Some(raw) = raw else {
            return Err(Trouble::subject(
                "its executor takes no sample: no unit sets $result['sample']",
            ));
        };
        let overhead = said.overhead;
        Ok(Sample {
            iteration,
            revolutions,
            raw,
            overhead: overhead.map_or(0, |overhead| overhead.of(revolutions)),
            clock: overhead.map_or(0, |overhead| overhead.clock.round() as i64),
            empty: overhead.map_or(0.0, |overhead| overhead.per_revolution()),
            memory: said.result.and_then(|result| result.memory),
            retried: false,
        })
    }

    /// Runs an iteration that is counted from outside, to its orderly end.
    pub(super) fn run_to_end(&mut self, revolutions: u64, warmup: u64) -> Result<(), Trouble> {
        self.iterate(revolutions, warmup, false)?;
        if let Some((mut child, channel)) = self.warm.take() {
            drop(channel);
            child
                .wait(self.timeout, self.stop)
                .map_err(Error::io("wait for PHP"))?;
        }
        Ok(())
    }

    fn iterate(&mut self, revolutions: u64, warmup: u64, calibrate: bool) -> Result<Said, Trouble> {
        if self.warm.is_none() {
            self.warm = Some(self.start()?);
        }
        let fork = self.fork;
        let (timeout, stop) = (self.timeout, self.stop);
        let Some((child, channel)) = &mut self.warm else {
            unreachable!("it was just started")
        };
        channel.say(&json!({ "fork": fork, "revs": revolutions, "warmup": warmup, "calibrate": calibrate }));
        let said = if fork {
            listen_to_fork(channel, child, timeout, stop)
        } else {
            listen_to_one(channel, child, timeout, stop)
        };
        // A process that serves one iteration, or that may be in disorder, is not asked again.
        if said.is_err() || !fork && calibrate {
            self.warm = None;
        }
        let said = said?;
        if let Some(error) = said.error {
            return Err(Trouble::Subject(Failure {
                detail: said.detail,
                ..Failure::new(error)
            }));
        }
        if !said.output.is_empty() {
            let shown: String = said
                .output
                .lines()
                .next()
                .unwrap_or_default()
                .chars()
                .take(60)
                .collect();
            return Err(Trouble::Subject(Failure {
                message: format!("it prints, which takes time of its own: {shown}"),
                detail: Some(said.output),
            }));
        }
        Ok(said)
    }

    fn start(&self) -> Result<(Child, Channel), Trouble> {
        let mut child = self.launcher.start(&self.script, &[&self.socket])?;
        let Some(mut channel) = Channel::accept(&self.listener, &mut child, READY_WITHIN, self.stop)? else {
            return Err(self.not_ready(&mut child, "PHP did not start"));
        };
        match channel.hear(READY_WITHIN, self.stop) {
            Heard::Line(line) if line.get("ready").is_some() => Ok((child, channel)),
            Heard::Line(line) => {
                let error = line
                    .get("error")
                    .and_then(Value::as_str)
                    .unwrap_or("PHP said something else than that it is ready");
                Err(Trouble::subject(error))
            }
            _ => Err(self.not_ready(&mut child, "PHP did not get ready")),
        }
    }

    fn not_ready(&self, child: &mut Child, what: &str) -> Trouble {
        if self.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Trouble::Interrupted;
        }
        child.kill();
        let said = child
            .output()
            .first_line()
            .map_or_else(|| child.end_in_words(), |line| format!("it said: {line}"));
        Trouble::subject(format!("{what}: {said}"))
    }
}

/// An iteration in the process that was asked.
fn listen_to_one(
    channel: &mut Channel,
    child: &mut Child,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<Said, Trouble> {
    match channel.hear(timeout, stop) {
        Heard::Line(line) => read(line),
        Heard::Interrupted => Err(Trouble::Interrupted),
        Heard::TimedOut => Err(too_long(timeout)),
        Heard::Gone => {
            let end = child.wait(GONE_WITHIN, stop).map_err(Error::io("wait for PHP"))?;
            let how = match end {
                crate::launch::End::Exited(status) => crate::launch::status_in_words(status),
                _ => "no end".into(),
            };
            Err(ended(&how, child))
        }
    }
}

/// An iteration in a fork of the process that was asked: its number, what it says, and how it ended.
fn listen_to_fork(
    channel: &mut Channel,
    child: &mut Child,
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
                if let Some(number) = line.get("pid").and_then(Value::as_u64) {
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

fn read(line: Value) -> Result<Said, Trouble> {
    serde_json::from_value(line)
        .map_err(|error| Trouble::subject(format!("its executor says what cannot be read ({error})")))
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
