//! Runs that are kept, and comparisons with them.

use crate::{
    suite::{Bench, fixture},
    support::{Ran, phperf},
};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

pub fn run(folder: &Path, arguments: &[&str]) -> Ran {
    phperf(["bench"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
        .into()
}

/// `bench run` of one subject, with more arguments.
pub fn sample(folder: &Path, more: &[&str]) -> Bench {
    let path = fixture("sampling").display().to_string();
    Bench::run_in(folder, [path.as_str(), "--filter", "Fixed"].iter().chain(more))
}

#[test]
fn runs_are_kept_listed_shown_and_compared_with() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kept = sample(folder, &["--tag", "main"]);
    assert!(
        kept.ran.stderr.contains("kept as run 1 in "),
        "{}",
        kept.ran.stderr
    );
    assert_eq!(sample(folder, &["--store"]).ran.code, 0);
    let log = run(folder, &["log"]).stdout;
    let lines: Vec<&str> = log.lines().collect();
    assert!(
        lines.len() == 3 && lines[1].trim_start().starts_with("2 ") && lines[2].ends_with(" main"),
        "{log}"
    );
    assert_eq!(run(folder, &["log", "-n", "1"]).stdout.lines().count(), 2);
    let shown = run(folder, &["show", "main", "--json", "-"]).stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["tag"], "main");
    assert_eq!(shown["classes"], kept.suite["classes"]);
    assert!(run(folder, &["show"]).stdout.contains("benchFixed"));

    let compared = sample(
        folder,
        &[
            "--ref",
            "main",
            "--report",
            "benchmark_compare",
            "--assert",
            "median(variant.time.avg) < median(baseline.time.avg) * 1000",
            "--format",
            "median(baseline.time.avg) as ms",
        ],
    );
    assert_eq!(compared.ran.code, 0, "{}", compared.ran.stderr);
    let variant = compared.variant("benchFixed");
    assert_eq!(variant["assertions"][0]["verdict"], "passed");
    assert_eq!(variant["baseline"], kept.summary("benchFixed").clone());
    assert!(
        compared.ran.stdout.contains("baseline_interval"),
        "{}",
        compared.ran.stdout
    );
    let stderr = &compared.ran.stderr;
    assert!(
        stderr.contains("the baseline was measured at another time"),
        "{stderr}"
    );
    assert!(!stderr.contains("another environment"), "{stderr}");
    let failed = sample(
        folder,
        &[
            "--ref",
            "main",
            "--assert",
            "median(variant.time.avg) > median(baseline.time.avg) * 1000",
        ],
    );
    assert_eq!(failed.ran.code, 1);
}

#[test]
fn another_environment_and_what_is_not_in_the_baseline_are_named() {
    let folder = tempfile::tempdir().unwrap();
    sample(folder.path(), &["--tag", "off", "--opcache", "off"]);
    let path = fixture("sampling").display().to_string();
    let bench = Bench::run_in(
        folder.path(),
        [
            &path,
            "--filter",
            "Fixed|Fresh",
            "--opcache",
            "on",
            "--ref",
            "off",
        ],
    );
    let stderr = &bench.ran.stderr;
    assert!(
        stderr.contains("another environment: opcache enabled was false, is true"),
        "{stderr}"
    );
    assert!(stderr.contains("1 variants are not in the baseline"), "{stderr}");
}

#[test]
fn a_missing_baseline_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture("sampling").display().to_string();
    let ran = run(folder.path(), &["run", &path, "--ref", "main"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.starts_with("phperf: there is no store ") && ran.stderr.lines().count() == 1,
        "{}",
        ran.stderr
    );
    sample(folder.path(), &["--store"]);
    let ran = run(folder.path(), &["run", &path, "--ref", "main"]);
    assert!(
        ran.stderr.starts_with("phperf: there is no run main in ") && ran.stderr.lines().count() == 1,
        "{}",
        ran.stderr
    );
    fs::write(folder.path().join("broken"), "x".repeat(4096)).unwrap();
    for verb in [&["log"][..], &["run", &path, "--store"]] {
        let ran = run(folder.path(), &[verb, &["--store-file", "broken"]].concat());
        assert_eq!(ran.code, 1);
        assert!(
            ran.stderr.contains("broken is broken: move it away") && ran.stderr.lines().count() == 1,
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_full_disk_loses_no_report_and_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    // A disk of 40 KB, in a world of its own: enough for the store, and not for a run.
    let script = "mount -t tmpfs -o size=40k none . && \"$@\"";
    let path = fixture("sampling").display().to_string();
    let mut command = Command::new("unshare");
    command
        .args(["-m", "sh", "-c", script, "sh"])
        .arg(env!("CARGO_BIN_EXE_phperf"));
    command.args([
        "bench",
        "run",
        "-q",
        "--store",
        "--report",
        "aggregate",
        "--filter",
        "Fixed",
    ]);
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let ran: Ran = command
        .args(["--iterations", "300", "--revs", "1"])
        .arg(&path)
        .current_dir(&disk)
        .output()
        .unwrap()
        .into();
    if ran.stderr.contains("unshare") || ran.stderr.contains("mount:") {
        eprintln!("skipped: only root may mount: {}", ran.stderr);
        return;
    }
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("benchFixed"), "{}", ran.stdout);
    assert!(
        ran.stderr
            .starts_with("phperf: the disk is full: nothing was kept in ")
            && ran.stderr.lines().count() == 1,
        "{}",
        ran.stderr
    );
    // What did not fit there is where there is room.
    let (_, rest) = ran.stderr.split_once("; the run is in ").unwrap();
    let file = rest.split_once(": `phperf bench import` keeps it").unwrap().0;
    assert_eq!(run(folder.path(), &["import", file]).stdout, "run 1: -\n");
    fs::remove_file(file).unwrap();
}

#[test]
fn a_run_is_kept_though_nobody_reads_its_reports() {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture("sampling").display().to_string();
    let mut child = phperf([
        "bench", "run", &path, "--filter", "Fixed", "--store", "--report", "default",
    ])
    .current_dir(folder.path())
    .stdout(Stdio::piped())
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    // Whoever reads goes away at once.
    drop(child.stdout.take());
    child.wait().unwrap();
    let log = run(folder.path(), &["log"]).stdout;
    assert_eq!(log.lines().count(), 2, "{log}");
}

#[test]
fn a_name_that_could_not_be_found_again_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["7", "latest", "latest-2", ""] {
        let ran = run(folder.path(), &["run", ".", "--tag", name]);
        assert_eq!(ran.code, 2, "{name:?}");
        assert!(ran.stderr.contains("choose another one"), "{}", ran.stderr);
    }
    assert_eq!(run(folder.path(), &["log", "-n", "0"]).code, 2);
}

#[test]
fn what_is_typed_is_looked_for_from_here_and_what_is_configured_from_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let project = here.join("project");
    fs::create_dir(&project).unwrap();
    let ci = "[storage]\nfile = 'ci.sqlite'\n[core.profiles.nightly.storage]\nfile = 'nightly.sqlite'\n";
    fs::write(project.join("ci.toml"), ci).unwrap();
    let lists_one = |arguments: &[&str]| {
        let ran = run(here, arguments);
        assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2), "{}", ran.stderr);
    };
    let start = ["--working-dir", "project"];
    for (options, file) in [
        (&["--store-file", "typed.sqlite"][..], here.join("typed.sqlite")),
        (&[], project.join(".phperf-bench.sqlite")),
        (&["--config", "ci.toml"], project.join("ci.sqlite")),
        (
            &["--config", "ci.toml", "--profile", "nightly"],
            project.join("nightly.sqlite"),
        ),
    ] {
        let options = [&start, options].concat();
        assert!(!file.exists());
        let kept = sample(here, &[&["--store"], options.as_slice()].concat());
        assert!(file.exists(), "{}", kept.ran.stderr);
        // All verbs find what one of them kept.
        lists_one(&[&["log"], options.as_slice()].concat());
        let shown = run(here, &[&["show"], options.as_slice()].concat());
        assert!(shown.stdout.contains("benchFixed"), "{}", shown.stderr);
        let exported = run(
            here,
            &[&["export", "latest", "run.xml"], options.as_slice()].concat(),
        );
        assert_eq!(exported.code, 0, "{}", exported.stderr);
        let imported = run(here, &[&["import", "run.xml"], options.as_slice()].concat());
        assert!(imported.stdout.starts_with("run 2: "), "{}", imported.stderr);
    }
}
