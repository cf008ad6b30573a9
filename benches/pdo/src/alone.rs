//! A CPU for PHP and the server's process alone, so that a busy machine does not show in times.

use std::{
    fs,
    process::{Command, Stdio},
};
use testbed::Postgres;

/// While this lives, processes that the server starts run on one CPU, before all others.
#[derive(Debug)]
pub struct Alone {
    server: String,
    cpu: String,
    /// The CPUs that the server had.
    before: String,
}

impl Alone {
    /// `None` where real-time priority is not permitted.
    pub fn on(server: &Postgres) -> Option<Self> {
        let server = server.pid().to_string();
        let before = allowed(&server)?;
        let cpu = before.rsplit([',', '-']).next()?.to_owned();
        let done = succeeds("chrt", &["-f", "-p", "10", &server]);
        let alone = Self { server, cpu, before };
        let done = done && succeeds("taskset", &["-pc", &alone.cpu, &alone.server]);
        done.then_some(alone)
    }

    /// What PHP is run under, to have its share.
    pub fn under(&self) -> Vec<String> {
        ["chrt", "-f", "10", "taskset", "-c", &self.cpu]
            .map(str::to_owned)
            .into()
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        succeeds("taskset", &["-pc", &self.before, &self.server]);
        succeeds("chrt", &["-o", "-p", "0", &self.server]);
    }
}

/// The CPUs that a process may use, as a list such as `0-3,6`.
fn allowed(process: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(list.trim().to_owned())
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
