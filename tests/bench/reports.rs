//! Reports, outputs, assertions, progress.

use crate::{
    suite::{Bench, fixture, run_fixture},
    support::{Ran, phperf, run},
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
    for (kind, bars) in [("histogram", 16), ("blinken", 7)] {
        let ran = run([
            "bench",
            "run",
            &path,
            "--filter",
            "Fixed",
            "--iterations",
            "7",
            "-l",
            kind,
        ]);
        let line = ran
            .stderr
            .lines()
            .find(|line| line.contains("benchFixed"))
            .unwrap();
        let drawn = line.split("benchFixed  ").nth(1).unwrap().chars().take(bars);
        assert!(
            drawn.clone().all(|c| c == ' ' || ('▁'..='█').contains(&c)),
            "{line}"
        );
        assert!(drawn.count() == bars && line.contains('█'), "{line}");
    }
    let ran = run(["bench", "run", &path, "--filter", "Fixed", "-l", "json"]);
    let events: Vec<serde_json::Value> = ran
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<_> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["found", "class", "variant", "done", "end"]);
    assert!(events[3]["summary"]["median"].as_f64().is_some(), "{}", events[3]);
    let ran = run(["bench", "run", &path, "--filter", "Fixed", "-l", "none"]);
    assert_eq!((ran.stderr.as_str(), ran.stdout.as_str()), ("", ""));
}

#[test]
fn what_has_no_effect_is_named_and_what_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("phpbench.json"),
        r#"{"report.generators": {
            "base": {"extends": "aggregate", "break": ["benchmark"], "description": "mine"},
            "mine": {"extends": "base", "expressions": {"x": "1"}, "cols": ["subject"]}
        }}"#,
    )
    .unwrap();
    let path = fixture("sampling").display().to_string();
    let bench = Bench::run_in(
        folder.path(),
        [path.as_str(), "--filter", "Fixed", "--report", "mine"],
    );
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    for note in [
        "note: report mine: no effect in phperf: expressions",
        "note: report base: no effect in phperf: break, description",
    ] {
        assert!(bench.ran.stderr.contains(note), "{}", bench.ran.stderr);
    }
    fs::write(
        folder.path().join("phpbench.json"),
        r#"{"runner.progress": "nyan"}"#,
    )
    .unwrap();
    let ran: Ran = phperf(["bench", "run", &path])
        .current_dir(folder.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains(
            "there is no progress nyan; there are verbose, dots, plain, histogram, blinken, json, none"
        ),
        "{}",
        ran.stderr
    );
}
