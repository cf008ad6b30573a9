//! What was kept, looked back at: a subject over its runs, and comparisons.

use crate::{store::run, suite::fixture, support::Ran};
use std::{fs, path::Path};

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

/// Compares one subject under two settings, kept as `precision`, in `first.json` and in `first.html`.
fn compared(folder: &Path) -> Ran {
    let path = fixture("sampling").display().to_string();
    run(
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
    )
}

#[test]
fn a_comparison_is_kept_listed_and_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kept = compared(folder);
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

#[test]
fn a_comparison_goes_elsewhere_in_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kept = compared(folder);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    let first = fs::read_to_string(folder.join("first.json")).unwrap();
    let other = tempfile::tempdir().unwrap();
    let other = other.path();
    let file = folder.join("first.json").display().to_string();
    let imported = run(other, &["import", &file]);
    assert_eq!(
        (imported.code, imported.stdout.as_str()),
        (0, "comparison 1: A {}  B {\"precision\": 9}\n"),
        "{}",
        imported.stderr
    );
    let shown = run(other, &["show", "--comparison", "--json", "-"]);
    assert_eq!((shown.code, &shown.stdout), (0, &first), "{}", shown.stderr);
    let exported = run(other, &["export", "--comparison", "latest"]);
    assert_eq!(
        (exported.code, &exported.stdout),
        (0, &first),
        "{}",
        exported.stderr
    );
    let exported = run(other, &["export", "--comparison", "1", "again.json"]);
    assert_eq!(
        (exported.code, exported.stdout.as_str()),
        (0, ""),
        "{}",
        exported.stderr
    );
    assert_eq!(fs::read_to_string(other.join("again.json")).unwrap(), first);
    let imported = run(other, &["import", "again.json"]);
    assert_eq!(
        (imported.code, imported.stdout.as_str()),
        (0, "comparison 2: A {}  B {\"precision\": 9}\n"),
        "{}",
        imported.stderr
    );
    let missing = run(other, &["export", "--comparison", "7"]);
    assert!(
        missing.code == 1 && missing.stderr.contains("there is no comparison 7 in "),
        "{}",
        missing.stderr
    );
    let refused = run(other, &["show", "--file", &file]);
    assert!(
        refused.code == 1 && refused.stderr.contains("there is a comparison in "),
        "{}",
        refused.stderr
    );
}
