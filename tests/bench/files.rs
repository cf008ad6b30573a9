//! Runs and comparisons in files: written, read back, shown and kept.

use crate::{
    store::{run, sample},
    suite::fixture,
};
use std::{fs, process::Command};

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
