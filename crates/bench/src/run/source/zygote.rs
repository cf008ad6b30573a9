//! One PHP of which the processes of both sides of a comparison are forks.

use super::{super::trouble::Trouble, warm::Warm};
use crate::{
    Error, executor,
    launch::{Channel, Heard, Launcher},
};
use serde_json::{Value, json};
use std::{
    cell::RefCell,
    fs,
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    rc::Rc,
    sync::atomic::AtomicBool,
    time::Duration,
};

/// How long a fork may take.
const FORKED_WITHIN: Duration = Duration::from_secs(10);

/// Starts PHP and has it fork.
///
/// Where PHP and its libraries lie in memory is drawn when it starts, and one draw in eight makes code several per cent
/// slower. Forks of one process have the same draw.
pub(in super::super) struct Zygote<'a> {
    launcher: &'a Launcher,
    script: PathBuf,
    socket: PathBuf,
    listener: UnixListener,
    stop: &'a AtomicBool,
    warm: Option<Warm>,
}

impl<'a> Zygote<'a> {
    /// A PHP that `launcher` starts; its script and socket lie in `scratch`.
    pub(in super::super) fn new(
        launcher: &'a Launcher,
        scratch: &Path,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let (script, socket) = (scratch.join("zygote.php"), scratch.join("zygote"));
        fs::write(&script, executor::ZYGOTE).map_err(Error::io("write the script for forks"))?;
        Ok(Self {
            launcher,
            listener: Channel::listen(&socket)?,
            script,
            socket,
            stop,
            warm: None,
        })
    }

    /// Starts anew: forks from now on have another draw.
    pub(in super::super) fn renew(&mut self) -> Result<(), Trouble> {
        self.warm = None;
        let started = self.launcher.start(&self.script, &[&self.socket])?;
        let started = Rc::new(RefCell::new(started));
        self.warm = Some(Warm::wait(started, &self.listener, self.stop)?);
        Ok(())
    }

    /// A fork that runs `script` in `folder`, and has yet to connect to `listener`, which is bound to `socket`.
    pub(super) fn fork(
        &mut self,
        script: &Path,
        folder: &Path,
        socket: &Path,
        listener: &UnixListener,
    ) -> Result<Warm, Trouble> {
        let Some(Warm { started, channel }) = &mut self.warm else {
            return Err(Trouble::subject("there is no PHP to fork"));
        };
        channel.say(&json!({ "script": script, "folder": folder, "socket": socket }));
        match channel.hear(FORKED_WITHIN, self.stop) {
            Heard::Line(line) if line.get("pid").is_some() => {
                Warm::wait(Rc::clone(started), listener, self.stop)
            }
            Heard::Line(line) => {
                let error = line.get("error").and_then(Value::as_str);
                Err(Trouble::subject(error.unwrap_or("PHP cannot fork")))
            }
            Heard::Interrupted => Err(Trouble::Interrupted),
            Heard::Gone | Heard::TimedOut => Err(Trouble::subject(format!(
                "PHP was to fork and did not: {}",
                started.borrow().output().text()
            ))),
        }
    }
}
