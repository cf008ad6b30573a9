//! Two commands at the same time on one CPU.

use crate::{
    compare,
    interrupted::wait_for,
    rounds, sides,
    support::{Killed, interrupt, phperf},
};
use std::{fs, path::Path, process::Command};

#[test]
fn what_runs_at_the_same_time_is_told_apart() {
    let (ran, json) = compare(
        &["--together", "--metric", "cpu", "--seed", "3"],
        &sides(&rounds(50_000), &rounds(100_000)),
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(json["comparisons"][0]["verdict"], "slower", "{json}");
    assert!(
        ran.stdout.contains("ran at the same time on CPU"),
        "{}",
        ran.stdout
    );
}

#[test]
fn both_of_a_pair_are_there_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let pipes = ["a", "b"].map(|name| folder.path().join(name).display().to_string());
    assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
    let [a, b] = &pipes;
    // Opening a pipe waits for its other end: each of the two needs the other one to come to its end.
    let lines = [
        format!("echo > {a}; read x < {b}"),
        format!("read x < {a}; echo > {b}"),
    ];
    let lines = lines.map(|line| format!("timeout 60 sh -c '{line}'"));
    let mut arguments = vec!["--shell".to_owned()];
    arguments.extend(lines);
    let options = [
        "--together",
        "--metric",
        "cpu",
        "--pairs",
        "8",
        "--ignore-failure",
    ];
    let (ran, json) = compare(&options, &arguments);
    assert!(!ran.stdout.contains("runs failed"), "{}", ran.stdout);
    assert_eq!(
        json["a"]["label"].as_str(),
        Some(arguments[1].as_str()),
        "{}",
        ran.stderr
    );
}

#[test]
fn both_of_a_pair_lie_in_memory_alike_and_each_pair_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("places");
    let line = format!("grep -m 1 libc /proc/self/maps >> {}", file.display());
    let command = ["--", "sh", "-c", &line, "--", "sh", "-c", &line].map(str::to_owned);
    let options = ["--together", "--metric", "cpu", "--pairs", "4", "--warm-up", "0"];
    let (ran, _) = compare(&options, &command);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    if !ran
        .stdout
        .contains("laid out in memory alike, and anew for each pair")
    {
        eprintln!("skipped: the kernel does not let phperf choose the layout");
        return;
    }
    let text = fs::read_to_string(file).unwrap();
    let places: Vec<&str> = text.lines().filter_map(|line| line.split('-').next()).collect();
    let pairs: Vec<&[&str]> = places.chunks(2).collect();
    assert_eq!(pairs.len(), 4, "{text}");
    assert!(pairs.iter().all(|pair| pair[0] == pair[1]), "{text}");
    assert!(pairs.windows(2).any(|two| two[0] != two[1]), "{text}");
}

#[test]
fn a_stack_that_may_not_grow_leaves_one_layout_and_the_answer_says_so() {
    let phperf = env!("CARGO_BIN_EXE_phperf");
    let line = format!(
        "ulimit -Ss 8192; ulimit -Hs 65536; exec {phperf} compare --together --metric cpu --pairs 1 -- true -- true"
    );
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(0), "{output:?}");
    if text.contains("the kernel does not let phperf choose") {
        eprintln!("skipped: the kernel does not let phperf choose the layout");
        return;
    }
    assert!(
        text.contains("in all pairs the same") && text.contains("its hard limit is 64 MB"),
        "{text}"
    );
}

/// A command that starts another one, and writes down its number.
fn with_grandchild(folder: &Path, name: &str) -> String {
    format!(
        "sleep 600 & echo $! > {0}/{name}.new; mv {0}/{name}.new {0}/{name}; wait",
        folder.display()
    )
}

fn is_there(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = state
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z")
}

#[test]
fn what_a_command_started_ends_with_it_where_the_other_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("a");
    let a = with_grandchild(folder.path(), "a");
    let b = format!("until [ -e {} ]; do :; done; exit 3", pid.display());
    // With this seed B is waited for first.
    let options = [
        "--together",
        "--metric",
        "cpu",
        "--warm-up",
        "0",
        "--pairs",
        "1",
        "--seed",
        "4",
    ];
    let (ran, _) = compare(&options, &["--shell".to_owned(), a, b]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let pid = fs::read_to_string(pid).unwrap();
    wait_for(|| !is_there(&pid));
}

#[test]
fn ctrl_c_ends_both_and_what_they_started() {
    let folder = tempfile::tempdir().unwrap();
    let lines = ["a", "b"].map(|name| with_grandchild(folder.path(), name));
    let mut child = Killed(
        phperf(["compare", "--together", "--metric", "cpu", "--shell"])
            .args(lines)
            .spawn()
            .unwrap(),
    );
    let pids = || ["a", "b"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap_or_default());
    wait_for(|| pids().iter().all(|pid| !pid.is_empty()));
    interrupt(&child.0);
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    wait_for(|| pids().iter().all(|pid| !is_there(pid)));
}
