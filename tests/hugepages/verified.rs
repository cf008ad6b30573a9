//! What `verify` says of a gain.

use crate::{
    applied::Applied,
    support::{assert_says, cli, run},
};
use php::{Binary, workload};
use serde_json::Value;
use std::path::Path;

fn verify(old: &Path, new: &Path, rest: &[&str]) -> crate::support::Ran {
    let mut arguments = vec![
        "hugepages",
        "verify",
        "-q",
        old.to_str().unwrap(),
        new.to_str().unwrap(),
    ];
    arguments.extend(rest);
    run(arguments)
}

#[test]
fn a_gain_that_is_not_shown_is_not_claimed() {
    let original = cli().path;
    let copy = Applied::of(&original, &[]);
    // Far too few pairs, of a script that does nothing.
    let ran = verify(
        &original,
        &copy.path,
        &["--pairs", "2", "--json", "-", "--", "-r", ""],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let notes = report["notes"].as_array().expect("notes");
    let none = notes
        .iter()
        .any(|note| note.as_str().unwrap().starts_with("No gain beyond 0.5 %"));
    assert!(none, "{report:#}");
}

#[test]
fn two_fpms_are_asked_in_turns() {
    let original = Binary::fpm().unwrap().path;
    let copy = Applied::of(&original, &[]);
    let hello = workload("fpm/hello.php");
    let ran = verify(
        &original,
        &copy.path,
        &[
            "--pairs",
            "2",
            "--requests",
            "3",
            "--",
            hello.to_str().unwrap(),
            "name=x",
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in ["mean of 3", "A's worker had", "B's worker had", "none is claimed"] {
        assert!(ran.stdout.contains(said), "no {said:?} in {}", ran.stdout);
    }
}

#[test]
fn sides_that_cannot_be_compared() {
    let (php, fpm) = (cli().path, Binary::fpm().unwrap().path);
    assert_says(&verify(&php, &fpm, &[]), 2, &["two of a kind"]);
    assert_says(
        &verify(&php, Path::new("/bin/sh"), &[]),
        1,
        &["/bin/sh is not a PHP"],
    );
    assert_says(
        &verify(&fpm, &fpm, &["--pairs", "2", "--", "/nowhere.php"]),
        1,
        &["there is no file /nowhere.php"],
    );
    let ran = verify(
        &php,
        &php,
        &["--pairs", "2", "--", "-r", "fputs(STDERR, 'away'); exit(3);"],
    );
    assert_says(&ran, 1, &["ended with 3", "away"]);
}
