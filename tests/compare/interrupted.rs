//! Ctrl-C.

use crate::support::{Killed, interrupt, number, phperf};
use serde_json::Value;
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (log, result) = (folder.path().join("log"), folder.path().join("result.json"));
    let line = format!("echo x >> {}", log.display());
    let child = phperf([
        "compare",
        "--pairs",
        "1000",
        "--warm-up",
        "0",
        "--margin",
        "0",
        "--json",
    ])
    .arg(&result)
    .args(["--shell", &line, &line])
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let mut child = Killed(child);
    wait_for(|| fs::read_to_string(&log).unwrap_or_default().lines().count() > 30);
    interrupt(&child.0);
    let mut text = String::new();
    child.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    assert!(text.contains("PARTIAL: interrupted"), "{text}");
    let json: Value = serde_json::from_str(&fs::read_to_string(result).unwrap()).unwrap();
    assert_eq!(json["partial"], "interrupted");
    assert!(
        (14..1000).contains(&number(&json["comparisons"][0], "pairs")),
        "{json}"
    );
}

#[test]
fn ctrl_c_ends_a_command_that_hangs() {
    // A terminal tells phperf alone: commands are in groups of their own.
    let mut child = Killed(
        phperf(["compare", "--", "sleep", "1000", "--", "sleep", "1000"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let children = PathBuf::from(format!("/proc/{0}/task/{0}/children", child.0.id()));
    let measured = || {
        fs::read_to_string(&children)
            .unwrap_or_default()
            .trim()
            .parse::<u32>()
            .ok()
    };
    wait_for(|| measured().is_some_and(|pid| command_line(pid).starts_with("sleep")));
    interrupt(&child.0);
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
}

#[test]
fn a_second_ctrl_c_leaves_no_command_behind() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    // It hears of the first one, and goes on.
    let line = format!(
        "trap 'echo told >> {0}' INT; echo $$ >> {0}; while :; do sleep 0.05; done",
        log.display()
    );
    let child = phperf(["compare", "--shell", &line, &line])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut child = Killed(child);
    let lines = || -> Vec<String> {
        let text = fs::read_to_string(&log).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    wait_for(|| !lines().is_empty());
    interrupt(&child.0);
    wait_for(|| lines().len() > 1);
    interrupt(&child.0);
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    let stat = format!("/proc/{}/stat", lines()[0]);
    // One that has ended may wait for somebody to collect it.
    wait_for(|| fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z ")));
}

pub fn wait_for(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(60), "it does not happen");
        std::thread::yield_now();
    }
}

fn command_line(pid: u32) -> String {
    fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("cmdline")).unwrap_or_default()
}
