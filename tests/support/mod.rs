//! What every end-to-end test needs: phperf as its users run it, and real PHP.

#![allow(dead_code, reason = "each test uses a part of it")]

use php::{Binary, Launch, Script, workload};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

pub mod counting;

/// Both sources; a test of what both must do runs once for each.
pub const SOURCES: [&str; 2] = ["kernel", "reader"];

/// phperf with arguments.
pub fn phperf<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phperf"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// `phperf record` with these arguments, between spaces as on a command line, for a profile that nobody reads.
pub fn record(arguments: &str) -> Command {
    let mut command = phperf(["record", "-f", "folded", "-o", "/dev/null"]);
    command.args(arguments.split(' '));
    command
}

/// Runs what follows it as a user without privileges.
pub const AS_NOBODY: [&str; 5] = [
    "setpriv",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
    "--inh-caps=-all",
];

/// The phperf that is tested, where anybody may look: whoever runs the tests may have put it where nobody else can.
pub fn shared_phperf(folder: &Path) -> PathBuf {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).expect("the folder is ours");
    let copy = folder.join("phperf");
    fs::copy(env!("CARGO_BIN_EXE_phperf"), &copy).expect("phperf is copied");
    copy
}

/// What phperf printed and returned.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// One line, with each of these words, and this exit code.
#[track_caller]
pub fn assert_says(ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, code, "{}", ran.stderr);
    let lines: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with("phperf: "))
        .collect();
    assert_eq!(lines.len(), 1, "{}", ran.stderr);
    for word in words {
        assert!(lines[0].contains(word), "no {word:?} in {:?}", lines[0]);
    }
}

/// Runs phperf to its end.
pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ran {
    phperf(arguments).output().expect("phperf starts").into()
}

/// A recording into a folder of its own: the profile, and the account.
pub struct Recording {
    pub folder: TempDir,
    pub ran: Ran,
    pub profile: PathBuf,
    pub account: Value,
}

impl Recording {
    /// `phperf record` with these arguments, in `format` by its ending.
    pub fn take<A: AsRef<OsStr>>(ending: &str, arguments: impl IntoIterator<Item = A>) -> Self {
        Self::with(ending, arguments, |mut command| {
            command.output().expect("phperf starts")
        })
    }

    /// The same, and `act` once the targets are watched.
    pub fn take_while<A: AsRef<OsStr>>(
        ending: &str,
        arguments: impl IntoIterator<Item = A>,
        act: impl FnOnce(),
    ) -> Self {
        Self::take_with(ending, arguments, |_| act())
    }

    /// The same until `act` has returned, as if somebody pressed Ctrl-C then.
    pub fn take_until<A: AsRef<OsStr>>(
        ending: &str,
        arguments: impl IntoIterator<Item = A>,
        act: impl FnOnce(),
    ) -> Self {
        Self::take_with(ending, arguments, |child| {
            act();
            interrupt(child);
        })
    }

    fn take_with<A: AsRef<OsStr>>(
        ending: &str,
        arguments: impl IntoIterator<Item = A>,
        act: impl FnOnce(&Child),
    ) -> Self {
        Self::with(ending, arguments, |mut command| {
            let mut child = Killed(command.stderr(Stdio::piped()).spawn().expect("phperf starts"));
            let mut said = BufReader::new(child.0.stderr.take().expect("it is piped"));
            let mut stderr = String::new();
            while !stderr.contains("phperf: recording") {
                let read = said.read_line(&mut stderr).expect("phperf writes text");
                assert!(read > 0, "it does not record: {stderr}");
            }
            act(&child.0);
            said.read_to_string(&mut stderr).expect("phperf writes text");
            Output {
                status: child.0.wait().expect("it is a child"),
                stdout: Vec::new(),
                stderr: stderr.into_bytes(),
            }
        })
    }

    fn with<A: AsRef<OsStr>>(
        ending: &str,
        arguments: impl IntoIterator<Item = A>,
        run: impl FnOnce(Command) -> Output,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let profile = folder.path().join(format!("profile.{ending}"));
        let account = folder.path().join("account.json");
        let mut command = phperf(["record"]);
        command
            .arg("-o")
            .arg(&profile)
            .arg("--summary-json")
            .arg(&account)
            .args(arguments);
        let ran: Ran = run(command).into();
        let text = fs::read_to_string(&account).unwrap_or_else(|_| panic!("no account: {}", ran.stderr));
        let account = serde_json::from_str(&text).expect("the account is JSON");
        Self {
            folder,
            ran,
            profile,
            account,
        }
    }

    /// The same of one target. The arguments stand as on a command line, between spaces.
    pub fn of(target: &Script, ending: &str, arguments: &str) -> Self {
        let pid = target.pid().to_string();
        Self::take(ending, ["-p", &pid].into_iter().chain(arguments.split(' ')))
    }

    pub fn text(&self) -> String {
        fs::read_to_string(&self.profile).expect("the profile is text")
    }

    /// A counter of all targets.
    pub fn total(&self, counter: &str) -> u64 {
        number(&self.account["total"], counter)
    }

    /// Stacks of a folded profile, outermost frame first, with their counts.
    pub fn stacks(&self) -> Vec<(String, u64)> {
        self.text()
            .lines()
            .map(|line| {
                let (stack, count) = line.rsplit_once(' ').expect("a stack and a count");
                (stack.to_owned(), count.parse().expect("a count"))
            })
            .collect()
    }
}

pub fn number(value: &Value, key: &str) -> u64 {
    value[key]
        .as_u64()
        .unwrap_or_else(|| panic!("no {key} in {value}"))
}

/// A workload that runs for ever, or until this is dropped.
pub fn running(name: &str) -> Script {
    Launch::new(&cli(), workload(name)).ready().expect("it runs")
}

/// A script of the test's own that says `ready`.
pub fn script(folder: &Path, source: &str) -> Script {
    let file = folder.join("script.php");
    fs::write(&file, source).expect("the script is written");
    Launch::new(&cli(), file).ready().expect("it runs")
}

/// The `php` of these tests.
pub fn cli() -> Binary {
    Binary::cli().expect("there is a php: scripts/setup.sh test installs it")
}

/// A child that is killed when the test is over.
pub struct Killed(pub Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// As Ctrl-C does.
pub fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).expect("it is a child");
}

/// What phpspy prints, without the lines of frames: they are the current ones here, and the first of the function there.
pub fn lines_aside(text: &str) -> String {
    let part = |part: &str| match part.rsplit_once(':') {
        Some((before, line)) if !part.starts_with('#') && line != "-1" => format!("{before}:LINE"),
        _ => part.to_owned(),
    };
    let end = if text.contains('\t') { "\t" } else { "\n" };
    text.split(end).map(part).collect::<Vec<_>>().join(end)
}
