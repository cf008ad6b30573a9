//! Core files of real processes.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What `gcore`, which belongs to gdb, keeps of a process that goes on. Without gdb the test is skipped, saying so.
pub fn kept(pid: u32, folder: &Path) -> Option<PathBuf> {
    let made = Command::new("gcore")
        .arg("-o")
        .arg(folder.join("kept"))
        .arg(pid.to_string())
        .stdin(Stdio::null())
        .output();
    let Ok(output) = made else {
        assert!(
            std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
            "there is no gcore: scripts/setup.sh test installs it"
        );
        eprintln!("skipped: there is no gcore");
        return None;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(folder.join(format!("kept.{pid}")))
}

/// Runs a command in `folder` until it crashes, and returns what the kernel kept of it. Where this machine gives core
/// files to a program, or to another folder, the test is skipped, saying so.
pub fn crashed(command: &mut Command, folder: &Path) -> Option<PathBuf> {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    if pattern.contains(['|', '/']) || pattern.trim().is_empty() {
        eprintln!(
            "skipped: the kernel puts core files elsewhere: {}",
            pattern.trim()
        );
        return None;
    }
    let mut child = Command::new("sh");
    child
        .args(["-c", "ulimit -c unlimited && exec \"$@\"", "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    let status = child
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.signal().is_some(), "it did not crash: {status}");
    if !status.core_dumped() {
        eprintln!("skipped: the kernel keeps no core files here");
        return None;
    }
    let words = pattern.trim().split('%').next().unwrap_or_default().to_owned();
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| name(path).is_some_and(|name| name.starts_with(&words)))
        .or_else(|| panic!("no core file is called {words}"))
}
