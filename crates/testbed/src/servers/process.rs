//! A server's process, from its start to its end.

use crate::Error;
use php::Lines;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

const READY_WITHIN: Duration = Duration::from_secs(60);
/// How long a server may take to end when it is asked to.
const END_WITHIN: Duration = Duration::from_secs(10);

/// A server that runs. It is asked to end, then made to, when this is dropped. It belongs to the group of whoever
/// started it, so that Ctrl-C ends both.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    log: Lines,
    end: Signal,
}

impl Process {
    /// Starts it, and waits for the line on its standard error that says that it is ready.
    pub(super) fn start(
        who: &'static str,
        mut command: Command,
        ready: &str,
        end: Signal,
    ) -> Result<Self, Error> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(Error::io(format!("start {who}")))?;
        let log = Lines::of(who, child.stderr.take().expect("standard error is piped"));
        let mut process = Self { child, log, end };
        process
            .log
            .find("its readiness", READY_WITHIN, |line| line.contains(ready))?;
        Ok(process)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // Not waited for yet, so that its number is still its own.
            let _ = kill_process(Pid::from_child(&self.child), self.end);
            // Everybody who could write to the log is gone when it ends.
            let ended = self.log.find("its end", END_WITHIN, |_| false);
            if !matches!(ended, Err(php::Error::Ended { .. })) {
                let _ = self.child.kill();
            }
        }
        let _ = self.child.wait();
    }
}
