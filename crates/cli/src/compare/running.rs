//! A command that runs.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open},
};
use std::{
    io,
    os::{fd::OwnedFd, unix::process::CommandExt},
    process::{Child, Command},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use wait4::{ResUse, Wait4};

/// How often Ctrl-C is looked for.
const SLICE: Duration = Duration::from_millis(50);
/// How long a command may take to end after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);

/// A command in a process group of its own: where nobody waits for it any more, or Ctrl-C ends it, whatever it started ends
/// with it.
pub(super) struct Running<'a> {
    child: Child,
    ended: bool,
    stop: &'a AtomicBool,
}

impl<'a> Running<'a> {
    pub(super) fn start(command: &mut Command, stop: &'a AtomicBool) -> io::Result<Self> {
        Ok(Self {
            child: command.process_group(0).spawn()?,
            ended: false,
            stop,
        })
    }

    /// Waits for its end. Ctrl-C, which a group of its own does not get from the terminal, is passed on.
    pub(super) fn wait(&mut self) -> io::Result<ResUse> {
        // Without (before Linux 5.3), a command that hangs does so until the second Ctrl-C.
        if let Ok(handle) = pidfd_open(self.group(), PidfdFlags::empty()) {
            self.watch(&handle)?;
        }
        loop {
            match self.child.wait4() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => {
                    self.ended = other.is_ok();
                    return other;
                }
            }
        }
    }

    /// Returns when it has ended.
    fn watch(&self, handle: &OwnedFd) -> io::Result<()> {
        let slice = Timespec {
            tv_sec: 0,
            tv_nsec: SLICE.as_nanos() as i64,
        };
        let mut told: Option<Instant> = None;
        loop {
            match poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&slice)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => {
                    // What it put into the background does not hear of Ctrl-C.
                    if told.is_some() {
                        self.signal(Signal::KILL);
                    }
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
            if self.stop.load(Ordering::Relaxed) {
                match told {
                    None => self.signal(Signal::INT),
                    Some(since) if since.elapsed() > GRACE => self.signal(Signal::KILL),
                    Some(_) => continue,
                }
                told.get_or_insert_with(Instant::now);
            }
        }
    }

    fn group(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.group(), signal);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // While it is not waited for, its number is nobody else's.
        if !self.ended {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}
