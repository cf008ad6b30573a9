//! `phperf trace`, and phperf under the name of phpspy: stacks as they come, for scripts that were written for phpspy.

mod output;
mod peer;
mod requests;
#[path = "../support/mod.rs"]
mod support;
mod targets;

use std::{
    os::unix::fs::symlink,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};
use support::Ran;
use tempfile::TempDir;

const WITHIN: Duration = Duration::from_secs(120);

/// A folder with a link to phperf.
struct Phpspy {
    folder: TempDir,
}

impl Phpspy {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        symlink(env!("CARGO_BIN_EXE_phperf"), folder.path().join("phpspy")).unwrap();
        Self { folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.folder.path().join("phpspy"));
        command
            .args(arguments)
            .stdin(Stdio::null())
            .current_dir(self.folder.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// As phpspy fails: with 1, whatever it is, and here in one line.
#[track_caller]
fn assert_fails(ran: &Ran, word: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    let mut lines = ran.stderr.lines();
    let line = lines.next().unwrap_or_default();
    assert!(
        line.starts_with("phpspy: ") && line.contains(word),
        "{}",
        ran.stderr
    );
    assert_eq!(lines.next(), None);
}

/// The traces of a text: of each, its parts.
fn traces(text: &str) -> Vec<Vec<&str>> {
    let traces = text.split("\n\n").filter(|trace| !trace.is_empty());
    traces.map(|trace| trace.lines().collect()).collect()
}

#[test]
fn what_it_cannot_do_it_says_in_one_line() {
    let phpspy = Phpspy::new();
    assert_fails(&phpspy.run(&[]), "-p PID");
    assert_fails(&phpspy.run(&["-p", "4194303"]), "4194303");
    assert_fails(&phpspy.run(&["-H", "0", "-p", "1"]), "-H 0");
    assert_fails(&phpspy.run(&["--", "/no/such"]), "/no/such");
    assert_fails(
        &phpspy.run(&["-O", "-", "-E", "-", "--", "true"]),
        "no PHP was seen in true",
    );
    for quiet in [&["-q"][..], &["-q", "-p", "4194303"], &["-q", "-H", "0"]] {
        let ran = phpspy.run(quiet);
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (1, "", ""),
            "{quiet:?}"
        );
    }
    let help = phpspy.run(&["-h"]);
    assert_eq!(help.code, 0);
    let options = "p P T s H V l i n r m o O E x a 1 b f F d c q w # @ v j J S e g t";
    for option in options.split(' ') {
        assert!(
            help.stdout.contains(&format!("-{option}")),
            "no -{option}: {}",
            help.stdout
        );
    }
    assert!(phpspy.run(&["--version"]).stdout.starts_with("phpspy v0.8.0 "));
}
