//! One PHP of which the processes of both sides of a comparison are forks.

use super::{super::trouble::Trouble, starter::Starter, warm::Warm};
use crate::{
    Error, executor,
    launch::{Heard, Launcher},
};
use serde_json::{Value, json};
use std::{fs, path::Path, rc::Rc, sync::atomic::AtomicBool, time::Duration};

/// How long a fork may take.
const FORKED_WITHIN: Duration = Duration::from_secs(10);

/// Starts PHP and has it fork.
///
/// Where PHP and its libraries lie in memory is drawn when it starts, and one draw in eight makes code several per cent
/// slower. Forks of one process have the same draw.
pub(in super::super) struct Zygote<'a> {
    starter: Starter<'a>,
    warm: Option<Warm>,
}

impl<'a> Zygote<'a> {
    /// A PHP that `launcher` starts; its script and socket lie in `scratch`.
    pub(in super::super) fn new(
        launcher: &'a Launcher,
        scratch: &Path,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let script = scratch.join("zygote.php");
        fs::write(&script, executor::ZYGOTE).map_err(Error::io("write the script for forks"))?;
        Ok(Self {
            starter: Starter::new(launcher, script, &scratch.join("zygote"), Duration::ZERO, stop)?,
            warm: None,
        })
    }

    /// Starts anew: forks from now on have another draw.
    pub(in super::super) fn renew(&mut self) -> Result<(), Trouble> {
        // The one before is gone first, so that two are never there at a time.
        self.warm = None;
        self.warm = Some(self.starter.start()?);
        Ok(())
    }

    /// A fork that runs the script of `other`, in the folder where that would start it.
    pub(super) fn fork(&mut self, other: &Starter) -> Result<Warm, Trouble> {
        let Some(Warm { started, channel }) = &mut self.warm else {
            return Err(Trouble::subject("there is no PHP to fork"));
        };
        let folder = other.launcher.working_dir();
        channel.say(&json!({ "script": other.script, "folder": folder, "socket": other.socket }));
        let said = match channel.hear(FORKED_WITHIN, self.starter.stop) {
            Heard::Line(line) => line,
            Heard::Interrupted => return Err(Trouble::Interrupted),
            Heard::Gone | Heard::TimedOut => {
                return Err(Trouble::subject(format!(
                    "PHP was to fork and did not: {}",
                    started.borrow().output().text()
                )));
            }
        };
        let Some(pid) = said.get("pid").and_then(Value::as_u64) else {
            let error = said.get("error").and_then(Value::as_str);
            return Err(Trouble::subject(error.unwrap_or("PHP cannot fork")));
        };
        Warm::wait(
            Rc::clone(started),
            Some(pid),
            &other.listener,
            other.patience,
            self.starter.stop,
        )
    }
}
