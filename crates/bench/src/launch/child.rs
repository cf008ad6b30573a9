//! A PHP process that ends with its handle, and what it prints.

use std::{
    io::{self, Read},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How much of what a process prints is kept, in bytes.
const KEPT: usize = 8 << 10;
/// How often a process that has no other way to tell is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A process in a group of its own, so that Ctrl-C reaches phperf alone, which then decides.
#[derive(Debug)]
pub(crate) struct Child {
    inner: std::process::Child,
    output: Captured,
}

/// The beginning of what a process printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    fn follow(&self, mut pipe: impl Read + Send + 'static) {
        let kept = Arc::clone(&self.0);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Reads on past what is kept, so that nobody has to wait for a full pipe.
            while let Ok(length @ 1..) = pipe.read(&mut buffer) {
                if let Ok(mut kept) = kept.lock() {
                    let room = KEPT.saturating_sub(kept.len());
                    kept.extend_from_slice(&buffer[..length.min(room)]);
                }
            }
        });
    }

    /// The first line that is not empty.
    pub(crate) fn first_line(&self) -> Option<String> {
        self.text()
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(str::to_owned)
    }

    pub(crate) fn text(&self) -> String {
        self.0
            .lock()
            .map(|kept| String::from_utf8_lossy(&kept).into_owned())
            .unwrap_or_default()
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It took too long, and was killed.
    TimedOut,
    /// Ctrl-C, and it was killed.
    Interrupted,
}

impl Child {
    pub(super) fn start(mut command: Command) -> io::Result<Self> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut inner = command.spawn()?;
        let output = Captured::default();
        if let Some(pipe) = inner.stdout.take() {
            output.follow(pipe);
        }
        if let Some(pipe) = inner.stderr.take() {
            output.follow(pipe);
        }
        Ok(Self { inner, output })
    }

    pub(crate) const fn output(&self) -> &Captured {
        &self.output
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.inner.try_wait(), Ok(Some(_)) | Err(_))
    }

    /// Waits for its end, for a limited time.
    pub(crate) fn wait(&mut self, limit: Duration, stop: &AtomicBool) -> io::Result<End> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.inner.try_wait()? {
                return Ok(End::Exited(status));
            }
            if stop.load(Ordering::Relaxed) {
                self.kill();
                return Ok(End::Interrupted);
            }
            if start.elapsed() > limit {
                self.kill();
                return Ok(End::TimedOut);
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Kills it and its group.
    pub(crate) fn kill(&mut self) {
        // While it is not waited for, its number is nobody else's.
        if let Ok(None) = self.inner.try_wait() {
            kill_group(self.inner.id());
            let _ = self.inner.kill();
        }
        let _ = self.inner.wait();
    }

    /// How it ended, in words; kills it if it did not.
    pub(crate) fn end_in_words(&mut self) -> String {
        match self.inner.wait() {
            Ok(status) => status_in_words(status),
            Err(error) => error.to_string(),
        }
    }
}

/// Whether a process has ended and nobody has waited for it yet.
pub(crate) fn is_zombie(pid: u64) -> bool {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Its name, in brackets, may have spaces and brackets.
    let after_name = line.rsplit(')').next().unwrap_or_default();
    matches!(after_name.split_whitespace().next(), Some("Z" | "X"))
}

/// Kills a process group.
pub(super) fn kill_group(leader: u32) {
    if let Some(group) = i32::try_from(leader)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

/// Such as `exit code 3`.
pub(crate) fn status_in_words(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => signal_in_words(signal),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "no exit code".into(),
    }
}

/// Such as `signal 11 (segmentation fault)`.
pub(crate) fn signal_in_words(signal: i32) -> String {
    let name = match signal {
        6 => "abort",
        7 => "bus error",
        8 => "arithmetic error",
        9 => "kill",
        11 => "segmentation fault",
        15 => "termination",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}
