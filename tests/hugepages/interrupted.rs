//! Ctrl-C.

use crate::support::{Killed, cli, phperf};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    fs,
    io::Read,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

#[test]
fn nothing_is_left_of_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    // Whoever reads these settings waits: the PHP that is asked whether the copy is like it.
    let settings = tempfile::tempdir().unwrap();
    let made = Command::new("mkfifo")
        .arg(settings.path().join("php-cli.ini"))
        .status();
    assert!(made.unwrap().success());
    let mut command = phperf(["hugepages", "apply", "--force"]);
    command
        .arg(cli().path)
        .arg("-o")
        .arg(folder.path().join("php"))
        .env("PHPRC", settings.path())
        .process_group(0)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    fs::write(folder.path().join("php"), "mine").unwrap();
    let mut child = Killed(command.spawn().unwrap());
    // Before it executes PHP, a child still has what phperf does at Ctrl-C.
    let children = format!("/proc/{0}/task/{0}/children", child.0.id());
    let is_asked = || {
        let children = fs::read_to_string(&children).unwrap_or_default();
        let command = |pid| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        children
            .split_whitespace()
            .any(|pid| command(pid).ends_with(b"\0-v\0"))
    };
    let started = Instant::now();
    while !is_asked() {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing is asked");
        std::thread::yield_now();
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    // As a terminal does.
    kill_process_group(Pid::from_child(&child.0), Signal::INT).unwrap();
    let mut said = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(130), "{said}");
    assert_eq!(said, "phperf: interrupted: nothing was written\n");
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["php"]);
    assert_eq!(fs::read_to_string(folder.path().join("php")).unwrap(), "mine");
}
