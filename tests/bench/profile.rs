//! The executor `profile`: flame graphs of subjects.

use crate::{
    suite::{Bench, fixture},
    support::run,
};
use std::{fs, path::Path};

/// `bench run --executor profile` of subjects of the fixture, into `folder/profiles`.
fn profile(folder: &Path, subject: &str, more: &[&str]) -> Bench {
    let path = fixture("profile").display().to_string();
    let to = folder.join("profiles").display().to_string();
    let all = [
        path.as_str(),
        "--executor",
        "profile",
        "--record-to",
        &to,
        "--filter",
        subject,
    ];
    Bench::run(all.iter().chain(more))
}

fn written(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("profiles")).into_iter().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_measured_loop_is_in_the_profile_and_nothing_else() {
    for isolation in ["fork", "process"] {
        let folder = tempfile::tempdir().unwrap();
        let more = [
            "--isolation",
            isolation,
            "--record-format",
            "folded",
            "--revs",
            "300",
        ];
        let bench = profile(folder.path(), "benchOuter", &more);
        assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
        assert_eq!(written(folder.path()), ["ProfileBench-benchOuter.folded"]);
        let text = fs::read_to_string(folder.path().join("profiles/ProfileBench-benchOuter.folded")).unwrap();
        let stacks: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(!stacks.is_empty(), "{}", bench.ran.stdout);
        for stack in stacks {
            assert!(stack.starts_with("ProfileBench::benchOuter"), "{stack}");
            assert!(
                !stack.contains("notProfiled") && !stack.contains("Phperf"),
                "{stack}"
            );
        }
        assert!(
            text.contains("ProfileBench::benchOuter;ProfileBench::inner"),
            "{text}"
        );
        // What it is asked for on the command line, and not what makes a good figure.
        let variant = bench.variant("benchOuter");
        assert_eq!(
            (&variant["revolutions"], &variant["iterations"]),
            (&300.into(), &1.into())
        );
        let table = &bench.ran.stdout;
        assert!(
            table.contains("ProfileBench::benchOuter, ") && table.contains("ProfileBench::inner"),
            "{table}"
        );
        assert!(
            table.contains("left out, since the subject did not run: "),
            "{table}"
        );
    }
}

#[test]
fn revolutions_are_found_and_every_format_is_written_for_each_variant() {
    let folder = tempfile::tempdir().unwrap();
    let more = [
        "--record-format",
        "svg",
        "--record-format",
        "pprof",
        "--revs",
        "500",
        "--revs",
        "600",
    ];
    let bench = profile(folder.path(), "benchDeep", &more);
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    let name = "ProfileBench-benchDeep-far-down-here";
    let names = ["-2.pb.gz", "-2.svg", ".pb.gz", ".svg"].map(|ending| format!("{name}{ending}"));
    assert_eq!(written(folder.path()), names);
    let picture = fs::read_to_string(folder.path().join(format!("profiles/{name}.svg"))).unwrap();
    assert!(picture.contains("ProfileBench::benchDeep # far down/here"));
    // Deeper than the stacks that are kept: it is the subject's all the same.
    assert!(picture.contains("ProfileBench::recurse"));

    let found = profile(folder.path(), "benchOuter", &[]);
    let variant = found.variant("benchOuter");
    assert_eq!(variant["automatic"], true);
    assert!(variant["revolutions"].as_u64().unwrap() > 20, "{variant}");
    assert_eq!(found.samples("benchOuter").len(), 1);
}

#[test]
fn a_subject_that_fails_leaves_no_profile_and_the_others_have_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let bench = profile(folder.path(), "benchThrows|benchOuter", &["--revs", "50"]);
    assert_eq!(bench.ran.code, 1);
    assert!(bench.failure("benchThrows").contains("not today"));
    assert_eq!(written(folder.path()), ["ProfileBench-benchOuter.svg"]);
}

#[test]
fn what_cannot_be_written_or_compared_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("profiles"), "a file").unwrap();
    let bench = profile(folder.path(), "benchOuter", &["--revs", "50"]);
    assert_eq!(bench.ran.code, 1);
    let why = bench.failure("benchOuter");
    assert!(
        why.contains("cannot make ") && why.contains("--record-to"),
        "{why}"
    );

    let path = fixture("profile").display().to_string();
    let php = ["--php-config", "{}", "--php-config", r#"{"precision": 14}"#];
    let arguments = ["bench", "compare", &path, "--executor", "profile"];
    let ran = run(arguments.iter().chain(&php));
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("gives no figures to compare"),
        "{}",
        ran.stderr
    );
}
