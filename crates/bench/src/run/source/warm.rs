//! A PHP process that is there and listens.

use super::super::trouble::Trouble;
use crate::launch::{Channel, Child, Heard, is_zombie};
use serde_json::Value;
use std::{
    cell::RefCell,
    os::unix::net::UnixListener,
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// How long PHP may take to load a class and its bootstrap; as long as an iteration, where that may take longer.
pub(super) const READY_WITHIN: Duration = Duration::from_secs(60);

/// A connection to a process: one that was started, or a fork of it.
pub(super) struct Warm {
    /// What was started. It ends when nobody holds it any more.
    pub(super) started: Rc<RefCell<Child>>,
    pub(super) channel: Channel,
}

impl Warm {
    /// Waits until a process connects to `listener` and says that it is ready: what was started, or its child `fork`.
    pub(super) fn wait(
        started: Rc<RefCell<Child>>,
        fork: Option<u64>,
        listener: &UnixListener,
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<Self, Trouble> {
        // Nobody waits for a fork: it stays a zombie until its parent ends.
        let mut has_ended = || started.borrow_mut().has_ended() || fork.is_some_and(is_zombie);
        let accepted = Channel::accept(listener, &mut has_ended, patience, stop)?;
        let Some(mut channel) = accepted else {
            return Err(match fork {
                Some(pid) if is_zombie(pid) => Trouble::subject(format!(
                    "PHP's fork ended as it started: {}",
                    said(&started.borrow()).unwrap_or_else(|| "it said nothing".into())
                )),
                _ => not_ready(&started, stop, "PHP did not start"),
            });
        };
        match channel.hear(patience, stop) {
            Heard::Line(line) if line.get("ready").is_some() => Ok(Self { started, channel }),
            Heard::Line(line) => {
                let error = line
                    .get("error")
                    .and_then(Value::as_str)
                    .unwrap_or("PHP said something else than that it is ready");
                Err(Trouble::subject(error))
            }
            _ => Err(not_ready(&started, stop, "PHP did not get ready")),
        }
    }
}

fn not_ready(started: &RefCell<Child>, stop: &AtomicBool, what: &str) -> Trouble {
    if stop.load(Ordering::Relaxed) {
        return Trouble::Interrupted;
    }
    let mut child = started.borrow_mut();
    child.kill();
    let why = said(&child).unwrap_or_else(|| child.end_in_words());
    Trouble::subject(format!("{what}: {why}"))
}

fn said(child: &Child) -> Option<String> {
    let line = child.output().first_line()?;
    Some(format!("it said: {line}"))
}
