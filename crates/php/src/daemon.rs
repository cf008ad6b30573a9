//! A server that is started for a while.

use crate::Error;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::{
    fs::{self, File},
    os::unix::{fs::chown, process::CommandExt},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// User and group, by their numbers.
pub type Owner = (u32, u32);

const READY_WITHIN: Duration = Duration::from_secs(30);
/// How long it may take to end when this is dropped.
const QUIT_WITHIN: Duration = Duration::from_secs(5);
/// How many of the last lines an error repeats.
const REMEMBERED: usize = 5;
const POLL: Duration = Duration::from_millis(1);

/// A process with a group and a folder of its own. It ends when this is dropped, and the folder goes.
#[derive(Debug)]
pub(crate) struct Daemon {
    who: &'static str,
    child: Child,
    log: PathBuf,
    _folder: TempDir,
}

impl Daemon {
    /// A folder that its owner can write to.
    pub fn folder(prefix: &str, owner: Option<Owner>) -> Result<TempDir, Error> {
        let folder = TempDir::with_prefix(prefix).map_err(Error::io("make a temporary folder"))?;
        if let Some((uid, gid)) = owner {
            chown(folder.path(), Some(uid), Some(gid))
                .map_err(Error::io(format!("give {} away", folder.path().display())))?;
        }
        Ok(folder)
    }

    /// Starts it as its owner. What it says goes to a file of its folder.
    pub fn start(
        who: &'static str,
        mut command: Command,
        owner: Option<Owner>,
        folder: TempDir,
    ) -> Result<Self, Error> {
        let log = folder.path().join("said");
        let said = File::create(&log).map_err(Error::io(format!("write {}", log.display())))?;
        let copy = said
            .try_clone()
            .map_err(Error::io(format!("write {}", log.display())))?;
        command
            .stdin(Stdio::null())
            .stdout(copy)
            .stderr(said)
            .process_group(0);
        if let Some((uid, gid)) = owner {
            // As root, this leaves the other groups of root, too.
            command.uid(uid).gid(gid);
        }
        let child = command.spawn().map_err(|source| Error::Start {
            path: command.get_program().into(),
            source,
        })?;
        Ok(Self {
            who,
            child,
            log,
            _folder: folder,
        })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until there is what `ready` looks for.
    pub fn wait_for<T>(&mut self, what: &str, mut ready: impl FnMut(&Self) -> Option<T>) -> Result<T, Error> {
        let start = Instant::now();
        loop {
            if let Some(found) = ready(self) {
                return Ok(found);
            }
            if !matches!(self.child.try_wait(), Ok(None)) {
                return Err(Error::Ended {
                    who: self.who,
                    what: what.into(),
                    said: self.last(),
                });
            }
            self.late(what, start, READY_WITHIN)?;
        }
    }

    /// Asks it to end, and waits for that.
    pub fn quit(mut self, signal: Signal, within: Duration) -> Result<ExitStatus, Error> {
        kill_process(self.group(), signal)
            .map_err(|errno| Error::io(format!("signal {}", self.who))(errno.into()))?;
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().map_err(Error::io("wait for a server"))? {
                return Ok(status);
            }
            self.late("its end", start, within)?;
        }
    }

    fn late(&self, what: &str, start: Instant, within: Duration) -> Result<(), Error> {
        if start.elapsed() < within {
            thread::sleep(POLL);
            return Ok(());
        }
        Err(Error::Late {
            what: format!("{} of {}", what, self.who),
            waited: within,
            said: self.last(),
        })
    }

    fn last(&self) -> String {
        let said = fs::read(&self.log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said).into_owned();
        let lines: Vec<_> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.is_empty() {
            return "nothing".into();
        }
        lines[lines.len().saturating_sub(REMEMBERED)..].join(" / ")
    }

    /// The process and, by the same number, its group.
    fn group(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let is_running = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        if is_running(&mut self.child) {
            // It is not waited for yet, so that its number is still its own.
            let _ = kill_process(self.group(), Signal::TERM);
            let start = Instant::now();
            while is_running(&mut self.child) && start.elapsed() < QUIT_WITHIN {
                thread::sleep(POLL);
            }
        }
        if is_running(&mut self.child) {
            let _ = kill_process_group(self.group(), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}
