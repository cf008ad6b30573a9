//! Reports, outputs, assertions, progress.

use crate::{
    suite::{fixture, run_fixture},
    support::run,
};
use std::fs;

#[test]
fn reports_in_every_output() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html").display().to_string();
    let path = fixture("sampling").display().to_string();
    let html = format!(r#"{{"extends": "html", "file": "{page}"}}"#);
    let arguments = [
        "bench",
        "run",
        &path,
        "--filter",
        "Fixed",
        "--report",
        "aggregate",
        "--report",
        "env",
    ];
    let ran = run(arguments
        .into_iter()
        .chain(["-o", "console", "-o", "csv", "-o", "json", "-o", &html]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("| benchmark | subject"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("benchmark,subject,set,revs,its,mem_peak,median"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains(r#""subject": "benchFixed""#),
        "{}",
        ran.stdout
    );
    let page = fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<td>benchFixed</td>"));
}

#[test]
fn assertions_decide_the_exit_code() {
    let check = |assertion: &str| run_fixture("sampling", &["--filter", "Fixed", "--assert", assertion]);
    assert_eq!(check("median(variant.time.avg) < 1 second").ran.code, 0);
    let failed = check("median(variant.time.avg) as ms > 1 second");
    assert_eq!(failed.ran.code, 1);
    assert!(
        failed
            .ran
            .stderr
            .contains("does not hold: median(variant.time.avg) as ms > 1 second: 0.00"),
        "{}",
        failed.ran.stderr
    );
    let unchecked = check("mode(variant.time.avg) <= mode(baseline.time.avg) +/- 5%");
    assert_eq!(unchecked.ran.code, 0);
    assert!(
        unchecked.ran.stderr.contains("were not checked"),
        "{}",
        unchecked.ran.stderr
    );
    assert_eq!(check("mode(").ran.code, 1);
}

#[test]
fn units_formats_and_progress() {
    let path = fixture("sampling").display().to_string();
    let arguments = [
        "bench",
        "run",
        &path,
        "--filter",
        "Fixed",
        "--time-unit",
        "microseconds",
        "--precision",
        "1",
        "--mode",
        "throughput",
    ];
    let ran = run(arguments
        .into_iter()
        .chain(["--report", "aggregate", "-l", "dots"]));
    assert!(ran.stdout.contains("ops/μs"), "{}", ran.stdout);
    assert!(ran.stderr.starts_with(".\n"), "{}", ran.stderr);
    let format = r#""min " ~ min(variant.time.avg) as ms precision 1"#;
    let ran = run(["bench", "run", &path, "--filter", "Fixed", "--format", format]);
    assert!(ran.stderr.contains("benchFixed  min 0.0ms"), "{}", ran.stderr);
    let ran = run(["bench", "run", &path, "--filter", "Fixed", "-l", "none"]);
    assert_eq!((ran.stderr.as_str(), ran.stdout.as_str()), ("", ""));
}
