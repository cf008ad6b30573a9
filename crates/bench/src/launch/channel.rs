//! Lines of JSON to and from a PHP process, over a socket: what a subject prints, or reads, does not get in the way.

use super::child::kill_group;
use crate::Error;
use serde_json::Value;
use std::{
    io::{self, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// How often Ctrl-C and the end of the process are looked for while nothing is said.
const SLICE: Duration = Duration::from_millis(50);
/// Length of a line, in bytes.
const MAX_LINE: usize = 16 << 20;

/// A connection to one process.
#[derive(Debug)]
pub(crate) struct Channel {
    stream: UnixStream,
    buffer: Vec<u8>,
}

/// What came.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A line.
    Line(Value),
    /// The other end is gone.
    Gone,
    /// Nothing, in time.
    TimedOut,
    /// Ctrl-C.
    Interrupted,
}

impl Channel {
    /// Waits until a process connects to `listener`; `None` where it has ended, takes too long or Ctrl-C came instead.
    pub(crate) fn accept(
        listener: &UnixListener,
        has_ended: &mut dyn FnMut() -> bool,
        limit: Duration,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, Error> {
        let doing = "wait for PHP to connect";
        let start = Instant::now();
        loop {
            let slice = rustix::time::Timespec {
                tv_sec: 0,
                tv_nsec: SLICE.as_nanos() as i64,
            };
            let mut wanted = [rustix::event::PollFd::new(listener, rustix::event::PollFlags::IN)];
            let ready = match rustix::event::poll(&mut wanted, Some(&slice)) {
                Ok(ready) => ready,
                Err(rustix::io::Errno::INTR) => 0,
                Err(error) => return Err(Error::io(doing)(error.into())),
            };
            if ready > 0 {
                let (stream, _) = listener.accept().map_err(Error::io(doing))?;
                stream.set_read_timeout(Some(SLICE)).map_err(Error::io(doing))?;
                return Ok(Some(Self {
                    stream,
                    buffer: Vec::new(),
                }));
            }
            if has_ended() || start.elapsed() > limit || stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
    }

    /// A socket to connect to.
    pub(crate) fn listen(path: &Path) -> Result<UnixListener, Error> {
        UnixListener::bind(path).map_err(Error::io("make the socket for PHP"))
    }

    /// Says a line, at once: each write wakes the other end. That it is gone is noticed when it is listened to.
    pub(crate) fn say(&mut self, line: &Value) {
        let _ = self.stream.write_all(format!("{line}\n").as_bytes());
    }

    /// The next line.
    pub(crate) fn hear(&mut self, limit: Duration, stop: &AtomicBool) -> Heard {
        let start = Instant::now();
        let mut chunk = [0; 16 << 10];
        let mut looked = 0;
        loop {
            if let Some(end) = self.buffer[looked..].iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=looked + end).collect();
                return serde_json::from_slice(&line).map_or(Heard::Gone, Heard::Line);
            }
            looked = self.buffer.len();
            if looked > MAX_LINE {
                return Heard::Gone;
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return Heard::Gone,
                Ok(length) => self.buffer.extend_from_slice(&chunk[..length]),
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
                    ) => {}
                Err(_) => return Heard::Gone,
            }
            if stop.load(Ordering::Relaxed) {
                return Heard::Interrupted;
            }
            if start.elapsed() > limit {
                return Heard::TimedOut;
            }
        }
    }
}

/// Kills an iteration that a warm process forked, and whatever it started.
pub(crate) fn kill_iteration(pid: u32) {
    kill_group(pid);
}
