//! A script of phperf, and the socket that whoever runs it connects to.

use super::{
    super::trouble::Trouble,
    warm::{READY_WITHIN, Warm},
};
use crate::{
    Error,
    launch::{Channel, Launcher},
};
use std::{
    cell::RefCell,
    fs,
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    rc::Rc,
    sync::atomic::AtomicBool,
    time::Duration,
};

/// Starts PHP with the script.
pub(super) struct Starter<'a> {
    pub(super) launcher: &'a Launcher,
    pub(super) script: PathBuf,
    pub(super) socket: PathBuf,
    pub(super) listener: UnixListener,
    /// How long PHP may take until it listens.
    pub(super) patience: Duration,
    pub(super) stop: &'a AtomicBool,
}

impl<'a> Starter<'a> {
    pub(super) fn new(
        launcher: &'a Launcher,
        script: PathBuf,
        socket: &Path,
        timeout: Duration,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        // Of whoever sampled here before.
        let _ = fs::remove_file(socket);
        Ok(Self {
            launcher,
            script,
            listener: Channel::listen(socket)?,
            socket: socket.into(),
            patience: timeout.max(READY_WITHIN),
            stop,
        })
    }

    pub(super) fn start(&self) -> Result<Warm, Trouble> {
        let started = self.launcher.start(&self.script, &[&self.socket])?;
        Warm::wait(
            Rc::new(RefCell::new(started)),
            None,
            &self.listener,
            self.patience,
            self.stop,
        )
    }
}
