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

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    phperf(["bench"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
        .into()
}

/// `bench run` of one subject, with more arguments.
fn sample(folder: &Path, more: &[&str]) -> Bench {
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
fn runs_leave_and_come_back_as_xml_that_phpbench_reads() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kept = sample(folder, &["--tag", "main"]);
    assert_eq!(run(folder, &["export", "main", "main.xml"]).code, 0);
    let imported = run(folder, &["import", "main.xml"]);
    assert_eq!(imported.stdout, "run 2: main\n", "{}", imported.stderr);
    let shown = run(folder, &["show", "2", "--json", "-"]).stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let median =
        &shown["classes"][0]["subjects"][0]["variants"][0]["outcome"]["measured"]["summary"]["median"];
    assert_eq!(median, &kept.summary("benchFixed")["median"]);
    fs::write(folder.join("odd.xml"), "<odd/>").unwrap();
    let refused = run(folder, &["import", "main.xml", "odd.xml"]);
    assert_eq!(refused.code, 1);
    assert_eq!(
        refused.stderr,
        "phperf: odd.xml: it is no XML of PHPBench: its outermost element is odd\n"
    );
    assert_eq!(run(folder, &["log"]).stdout.lines().count(), 3, "all or none");
    let Some(phpbench) = std::env::var_os("PHPBENCH") else {
        eprintln!("skipped: PHPBENCH does not name PHPBench, which would read what was written");
        return;
    };
    let report = Command::new("php")
        .arg(phpbench)
        .args(["report", "--file=main.xml", "--report=aggregate"])
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&report.stdout);
    assert!(
        report.status.success() && text.contains("benchFixed"),
        "{report:?}"
    );
}

#[test]
fn a_file_of_a_run_is_a_baseline_can_be_shown_and_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = sample(folder, &["--dump-file", "run.xml", "--report", "aggregate"]);
    assert_eq!(first.ran.code, 0, "{}", first.ran.stderr);
    let json = serde_json::to_string(&first.suite).unwrap();
    fs::write(folder.join("run.json"), json).unwrap();
    let median = &first.summary("benchFixed")["median"];
    for file in ["run.xml", "run.json"] {
        let compared = sample(folder, &["--file", file]);
        assert_eq!(
            &compared.variant("benchFixed")["baseline"]["median"],
            median,
            "{file}"
        );
        assert!(
            compared
                .ran
                .stderr
                .contains("the baseline was measured at another time")
        );
        let shown = run(folder, &["show", "--file", file, "--json", "-"]).stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let variant = &shown["classes"][0]["subjects"][0]["variants"][0];
        assert_eq!(
            &variant["outcome"]["measured"]["summary"]["median"], median,
            "{file}"
        );
    }
    assert!(
        !folder.join(".phperf-bench.sqlite").exists(),
        "nothing was to be kept"
    );
    let imported = run(folder, &["import", "run.xml", "run.json"]);
    assert_eq!(imported.stdout, "run 1: -\nrun 2: -\n", "{}", imported.stderr);
    let both = fs::read_to_string(folder.join("run.xml")).unwrap();
    let (start, suite) = both.split_once("<suite").unwrap();
    let (suite, end) = suite.split_once("</phpbench>").unwrap();
    fs::write(
        folder.join("two.xml"),
        format!("{start}<suite{suite}<suite{suite}</phpbench>{end}"),
    )
    .unwrap();
    for (file, why) in [
        ("two.xml", "there are 2 runs in two.xml"),
        ("none.xml", "cannot read none.xml"),
    ] {
        let ran = run(folder, &["run", ".", "--file", file]);
        assert!(
            ran.code == 1 && ran.stderr.contains(why) && ran.stderr.lines().count() == 1,
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_subject_is_shown_over_the_runs_for_people_and_for_tools() {
    let repository = crate::compare::repository();
    let folder = repository.path();
    let quick = [
        "run",
        ".",
        "-q",
        "--store",
        "--filter",
        "Work|Same",
        "--revs",
        "20",
        "--iterations",
        "10",
    ];
    run(folder, &quick);
    fs::write(folder.join("rounds"), "60").unwrap();
    run(
        folder,
        &[&quick[..], &["--opcache", "on", "--tag", "faster"]].concat(),
    );
    let text = run(folder, &["log", "benchWork"]).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(
        lines[0].starts_with("HashBench::benchWork  ") && lines[0].contains('┊'),
        "{text}"
    );
    assert!(
        lines[1].trim_start().starts_with("2 ") && lines[1].ends_with("*  130"),
        "{text}"
    );
    assert!(
        lines[2].ends_with("┊ opcache enabled was false, is true"),
        "{text}"
    );
    assert!(
        lines[3].trim_start().starts_with("1 ") && lines[3].ends_with("   130"),
        "{text}"
    );
    let json = run(folder, &["log", "--json", "-"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["runs"].as_array().unwrap().len(), 2);
    assert_eq!(json["runs"][0]["commit"]["changed"], true, "{json}");
    assert_eq!(json["variants"].as_array().unwrap().len(), 2, "{json}");
    assert_eq!(
        json["variants"][0]["points"].as_array().unwrap().len(),
        2,
        "{json}"
    );
    let nothing = run(folder, &["log", "nothing"]);
    assert!(
        nothing.code == 1 && nothing.stderr.contains("whose name contains nothing"),
        "{}",
        nothing.stderr
    );
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
fn a_mistake_empties_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = fixture("sampling").display().to_string();
    for name in ["old.json", "old.html", "old.xml"] {
        fs::write(folder.join(name), "what was there").unwrap();
    }
    for mistake in [
        &["run", &path, "--json", "old.json", "--ref", "nobody"][..],
        &["run", &path, "--html", "old.html", "--ref", "nobody"],
        &["run", &path, "--dump-file", "old.xml", "--file", "old.json"],
        &["run", &path, "--json", "new.json", "--ref", "nobody"],
        &["show", "--html", "old.html", "--report", "nonsense"],
    ] {
        let ran = run(folder, mistake);
        assert_ne!(ran.code, 0, "{mistake:?}");
    }
    for name in ["old.json", "old.html", "old.xml"] {
        assert_eq!(
            fs::read_to_string(folder.join(name)).unwrap(),
            "what was there",
            "{name}"
        );
    }
    assert!(!folder.join("new.json").exists());
    // Its own baseline.
    let first = sample(folder, &["--dump-file", "run.xml"]);
    assert_eq!(first.ran.code, 0, "{}", first.ran.stderr);
    let again = sample(folder, &["--file", "run.xml", "--dump-file", "run.xml"]);
    assert_eq!(again.ran.code, 0, "{}", again.ran.stderr);
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

#[test]
fn a_comparison_is_kept_listed_and_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = fixture("sampling").display().to_string();
    let kept = run(
        folder,
        &[
            "compare",
            &path,
            "--filter",
            "Fixed",
            "--php-config",
            "{}",
            "--php-config",
            r#"{"precision": 9}"#,
            "--revs",
            "1000",
            "--pairs",
            "3",
            "--tag",
            "precision",
            "--json",
            "first.json",
            "--html",
            "first.html",
        ],
    );
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    assert!(
        kept.stderr.contains("kept as comparison 1 in "),
        "{}",
        kept.stderr
    );
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    for reference in ["1", "latest", "precision"] {
        let options = [
            "show",
            "--comparison",
            reference,
            "--json",
            "again.json",
            "--html",
            "again.html",
        ];
        let again = run(folder, &options);
        assert_eq!(
            (again.code, again.stdout),
            (0, kept.stdout.clone()),
            "{}",
            again.stderr
        );
        assert_eq!(
            (read("again.json"), read("again.html")),
            (read("first.json"), read("first.html"))
        );
    }
    let log = run(folder, &["log"]).stdout;
    let line = log.lines().last().unwrap();
    assert!(
        line.contains(r#"A {}  B {"precision": 9}: 1 inconclusive  precision"#),
        "{log}"
    );
    let subject = run(folder, &["log", "benchFixed"]).stdout;
    assert!(
        subject.contains("inconclusive") && subject.ends_with("benchFixed\n"),
        "{subject}"
    );
    let json = run(folder, &["log", "benchFixed", "--json", "-"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["comparisons"][0]["comparisons"][0]["pairs"], 3, "{json}");
    assert_eq!(
        (&json["comparisons"][0]["tag"], &json["runs"]),
        (&"precision".into(), &serde_json::json!([]))
    );
    for (options, why) in [
        (&["show", "--comparison", "2"][..], "there is no comparison 2 in "),
        (&["show"], "there is no run latest in "),
        (
            &["log", "nobody"],
            "nothing was measured whose name contains nobody",
        ),
    ] {
        let ran = run(folder, options);
        assert!(ran.code == 1 && ran.stderr.contains(why), "{}", ran.stderr);
    }
}
