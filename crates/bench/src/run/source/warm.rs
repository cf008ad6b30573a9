//! A PHP process that is there and listens.

use super::super::trouble::Trouble;
use crate::launch::{Channel, Child, Heard};
use serde_json::Value;
use std::{
    cell::RefCell,
    os::unix::net::UnixListener,
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// How long PHP may take to load a class and its bootstrap.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// A connection to a process: one that was started, or a fork of it.
pub(super) struct Warm {
    /// What was started. It ends when nobody holds it any more.
    pub(super) started: Rc<RefCell<Child>>,
    pub(super) channel: Channel,
}

impl Warm {
    /// Waits until a process connects to `listener` and says that it is ready.
    pub(super) fn wait(
        started: Rc<RefCell<Child>>,
        listener: &UnixListener,
        stop: &AtomicBool,
    ) -> Result<Self, Trouble> {
        let accepted = Channel::accept(listener, &mut started.borrow_mut(), READY_WITHIN, stop)?;
        let Some(mut channel) = accepted else {
            return Err(not_ready(&started, stop, "PHP did not start"));
        };
        match channel.hear(READY_WITHIN, stop) {
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
    let said = child
        .output()
        .first_line()
        .map_or_else(|| child.end_in_words(), |line| format!("it said: {line}"));
    Trouble::subject(format!("{what}: {said}"))
}
