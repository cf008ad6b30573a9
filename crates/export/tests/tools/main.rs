//! Every format is read by a tool that was not written here.
//!
//! A tool that is missing is a test that is skipped, and says so; with `PHPERF_REQUIRE_TOOLS` set it fails.
//! What has to be fetched is kept in `PHPERF_CACHE`, or in `phperf` under the user's cache folder.

use export::{Format, Recording};

mod callgrind;
mod folded;
mod otlp;
mod phpspy;
mod pprof;
mod speedscope;
mod svg;
#[path = "../../src/testing.rs"]
#[allow(dead_code, reason = "shared with the crate's own tests")]
mod testing;

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

/// Says why a test is skipped; fails where that is asked for.
fn skip(why: &str) {
    assert!(
        std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
        "a tool is required and missing: {why}"
    );
    eprintln!("skipped: {why}");
}

/// Whether a program can be run.
fn is_there(program: &str, version: &str) -> bool {
    let status = Command::new(program)
        .arg(version)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// A file with the hand-made profile, in a folder that goes when the test ends.
fn saved(format: Format) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(format!("profile.{}", format.extension()));
    std::fs::write(&path, testing::bytes(format, &testing::profile())).expect("a temporary file");
    (folder, path)
}

/// What a command prints; it has to succeed.
fn output(command: &mut Command) -> String {
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("a command that runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {errors}");
    String::from_utf8(output.stdout).expect("text")
}
