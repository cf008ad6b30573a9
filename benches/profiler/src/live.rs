//! `phperf top` in a terminal of its own, and what it costs while it is there.

use crate::{end, machine};
use anyhow::{Context, Result, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    fs,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long it may take to start.
const START: Duration = Duration::from_secs(20);

/// A view that is ended when this is dropped.
#[derive(Debug)]
pub struct Live {
    terminal: Child,
    pid: u32,
}

/// What it used, up to a moment.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    at: Instant,
    cpu_ns: u64,
}

impl Live {
    /// Starts a command in a terminal of 80 columns, without a shell around it.
    pub fn start(command: &str) -> Result<Self> {
        let in_shell = format!("stty rows 24 cols 80; exec {command}");
        let terminal = Command::new("script")
            .args(["--quiet", "--return", "--command", &in_shell, "/dev/null"])
            // It would end with its input.
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start script, which makes the terminal")?;
        let mut live = Self { terminal, pid: 0 };
        let give_up = Instant::now() + START;
        while Instant::now() < give_up {
            if let Some(pid) = live.child().filter(|&pid| runs(pid, "phperf")) {
                live.pid = pid;
                return Ok(live);
            }
            thread::sleep(Duration::from_millis(10));
        }
        bail!("{command} does not start");
    }

    /// What it has used until now, with its programs in the kernel.
    pub fn used(&self) -> Result<Used> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid)).context("it has ended")?;
        let cpu_ns: u64 = threads
            .filter_map(|thread| thread.ok()?.file_name().to_str()?.parse().ok())
            .filter_map(machine::run_time)
            .sum();
        Ok(Used {
            at: Instant::now(),
            cpu_ns: cpu_ns + end::programs(self.pid).as_nanos() as u64,
        })
    }

    fn child(&self) -> Option<u32> {
        let id = self.terminal.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
        children.split_ascii_whitespace().next()?.parse().ok()
    }
}

impl Used {
    /// In per cent of a core, since an earlier moment.
    pub fn share_since(self, before: Self) -> f64 {
        let wall = self.at.duration_since(before.at).as_nanos() as f64;
        100.0 * self.cpu_ns.saturating_sub(before.cpu_ns) as f64 / wall
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if self.pid != 0 {
            let _ = kill(Pid::from_raw(self.pid.cast_signed()), Signal::SIGINT);
        } else {
            let _ = self.terminal.kill();
        }
        let _ = self.terminal.wait();
    }
}

fn runs(pid: u32, name: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim_end() == name)
}
