//! `phperf bench compare`.

use crate::{
    suite::fixture,
    support::{Killed, Ran, interrupt, phperf},
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    io::Read,
    path::Path,
    process::{Command, Stdio},
};

fn compare(folder: &Path, arguments: &[&str]) -> (Ran, Value) {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("result.json");
    let ran: Ran = phperf(["bench", "compare", "-q", "--json"])
        .arg(&file)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
        .into();
    let text = fs::read_to_string(&file).unwrap_or_default();
    (ran, serde_json::from_str(&text).unwrap_or(Value::Null))
}

/// The comparison of that name.
fn found<'a>(json: &'a Value, name: &str) -> &'a Value {
    let mut comparisons = json["comparisons"].as_array().unwrap().iter();
    comparisons
        .find(|one| one["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {json}"))
}

/// A git repository whose first revision does 100 rounds of work, and its second 130.
pub fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let ran = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    git(&["init", "--quiet"]);
    fs::copy(
        fixture("compare/HashBench.php"),
        folder.path().join("HashBench.php"),
    )
    .unwrap();
    for rounds in ["100", "130"] {
        fs::write(folder.path().join("rounds"), rounds).unwrap();
        git(&["add", "."]);
        git(&["commit", "--quiet", "-m", rounds]);
    }
    folder
}

fn worktrees(folder: &Path) -> usize {
    let ran = Command::new("git")
        .args(["worktree", "list"])
        .current_dir(folder)
        .output();
    String::from_utf8(ran.unwrap().stdout).unwrap().lines().count()
}

/// The subjects of which a change is claimed where both sides are the same code.
fn claimed_of_the_same_code() -> BTreeSet<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let path = fixture("compare").display().to_string();
    let ini = r#"{"precision": 14}"#;
    let sides = ["--php-config", ini, "--php-config", ini, "--pairs", "12"];
    let (ran, json) = compare(folder.path(), &[&[path.as_str()], &sides[..]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(json["geometric_mean"]["interval"].is_object(), "{json}");
    let names = [
        "HashBench::benchWork",
        "HashBench::benchSame",
        "HashBench::benchSleep # short",
    ];
    let is_claimed = |name: &&str| {
        let found = found(&json, name);
        assert_eq!(found["a"]["figures"].as_array().unwrap().len(), 12);
        !["same", "inconclusive"].contains(&found["verdict"].as_str().unwrap())
    };
    names.into_iter().filter(is_claimed).collect()
}

#[test]
fn of_the_same_code_no_change_is_claimed() {
    let claimed = claimed_of_the_same_code();
    if !claimed.is_empty() {
        // At 99.7 % chance claims 3 of 1,000, but not the same one again.
        let again = claimed_of_the_same_code();
        assert!(claimed.is_disjoint(&again), "{claimed:?}, then {again:?}");
    }
}

#[test]
fn two_revisions_of_which_one_does_thirty_per_cent_more() {
    let repository = repository();
    let folder = repository.path();
    let subject = [
        ".",
        "--filter",
        "benchWork",
        "--executor",
        "cpu",
        "--revs",
        "200",
        "--fail-on-slower",
    ];
    let markdown = folder.join("comment.md").display().to_string();
    let more = [
        "--revision",
        "HEAD~1",
        "--revision",
        "HEAD",
        "--markdown",
        &markdown,
    ];
    let (ran, json) = compare(folder, &[&subject[..], &more].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let slower = found(&json, "HashBench::benchWork");
    assert_eq!(slower["verdict"], "slower", "{slower}");
    assert!(slower["interval"]["high"].as_f64().unwrap() > 1.2, "{slower}");
    assert_eq!(
        (&json["a"]["label"], &json["b"]["label"]),
        (&"HEAD~1".into(), &"HEAD".into())
    );
    assert!(fs::read_to_string(&markdown).unwrap().contains("slower"));

    // The working tree as B, prepared: less work than the revision.
    fs::write(folder.join("rounds"), "60").unwrap();
    let (ran, json) = compare(folder, &[&subject[..], &["--revision", "HEAD"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(found(&json, "HashBench::benchWork")["verdict"], "faster");
    assert_eq!(worktrees(folder), 1, "none is left");
}

#[test]
fn a_revision_is_prepared_and_what_is_on_one_side_alone_is_named() {
    let repository = repository();
    let folder = repository.path();
    let code = fs::read_to_string(folder.join("HashBench.php")).unwrap();
    fs::write(
        folder.join("HashBench.php"),
        code.replace("benchSame", "benchOther"),
    )
    .unwrap();
    fs::write(folder.join("boot.php"), "<?php").unwrap();
    let arguments = [
        ".",
        "--revision",
        "HEAD",
        "--bootstrap",
        "boot.php",
        "--pairs",
        "1",
    ];
    let (ran, _) = compare(folder, &arguments);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("make it with --prepare"), "{}", ran.stderr);
    let prepare = ["--prepare", "cp \"$PHPERF_PROJECT\"/boot.php ."];
    let (ran, json) = compare(folder, &[&arguments[..], &prepare].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let notes = json["notes"].to_string();
    assert!(
        notes.contains("Only A has HashBench::benchSame.")
            && notes.contains("Only B has HashBench::benchOther."),
        "{notes}"
    );
    let (ran, _) = compare(folder, &[&arguments[..], &["--prepare", "exit 3"]].concat());
    assert!(ran.stderr.contains("--prepare failed for HEAD"), "{}", ran.stderr);
    assert_eq!(worktrees(folder), 1, "none is left");
}

#[test]
fn what_cannot_be_measured_has_no_answer_and_the_others_have() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("OddBench.php"),
        "<?php class OddBench {
            function benchFine() { return md5('x'); }
            function benchThrows() { if (ini_get('precision') === '5') { throw new Exception('no'); } md5('x'); }
        }",
    )
    .unwrap();
    let ini = [
        "--php-config",
        r#"{"precision": 14}"#,
        "--php-config",
        r#"{"precision": 5}"#,
    ];
    let (ran, json) = compare(
        folder.path(),
        &[&[".", "--pairs", "2", "--revs", "1000"], &ini[..]].concat(),
    );
    assert_eq!(ran.code, 1);
    let throws = found(&json, "OddBench::benchThrows");
    assert_eq!(throws["verdict"], "failed");
    assert!(
        throws["error"]
            .as_str()
            .unwrap()
            .starts_with("B could not be measured: Exception: no"),
        "{throws}"
    );
    assert_eq!(found(&json, "OddBench::benchFine")["pairs"], 2);
    // A budget that is over at once: nothing is claimed.
    let (ran, json) = compare(folder.path(), &[&[".", "--time", "1ms"], &ini[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(found(&json, "OddBench::benchFine")["verdict"], "inconclusive");
}

#[test]
fn what_tells_a_from_b_has_to_be_one_thing() {
    let folder = tempfile::tempdir().unwrap();
    let refused: [(&[&str], &str); 5] = [
        (&["."], "name what tells A from B"),
        (&[".", "--folder", "."], "there are two sides"),
        (
            &[".", "--folder", ".", "--folder", ".", "--revision", "a"],
            "one thing only",
        ),
        (
            &["/tmp", "--folder", ".", "--folder", "./"],
            "both sides would load the same files",
        ),
        (
            &[".", "--php-binary", "a", "--php-binary", "b", "--pairs", "0"],
            "invalid value '0'",
        ),
    ];
    for (arguments, why) in refused {
        let (ran, _) = compare(folder.path(), arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
    }
    let (ran, _) = compare(folder.path(), &[".", "--revision", "main"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("git: "), "{}", ran.stderr);
}

/// Where libc lies in the processes of one side.
fn places(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn both_sides_of_a_pair_are_forks_of_one_php_and_each_pair_is_of_another() {
    let folder = tempfile::tempdir().unwrap();
    for side in ["a", "b"] {
        fs::create_dir(folder.path().join(side)).unwrap();
        fs::write(
            folder.path().join(side).join("PlaceBench.php"),
            r"<?php
            class PlaceBench
            {
                public function benchPlace()
                {
                    preg_match('/^(\w+)-.*libc/m', file_get_contents('/proc/self/maps'), $found);
                    file_put_contents(__DIR__ . '/places', $found[1] . PHP_EOL, FILE_APPEND);
                }
            }",
        )
        .unwrap();
    }
    let both = [
        "--folder", "a", "--folder", "b", ".", "--pairs", "3", "--revs", "1",
    ];
    let (ran, json) = compare(folder.path(), &both);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(found(&json, "PlaceBench::benchPlace")["pairs"], 3);
    let [a, b] = ["a/places", "b/places"].map(|file| places(&folder.path().join(file)));
    assert_eq!(a.intersection(&b).count(), 3, "{a:?} {b:?}");
    // Besides, each side was tried out.
    assert_eq!((a.len(), b.len()), (4, 4), "{a:?} {b:?}");
}

#[test]
fn what_php_loads_from_the_folder_as_it_starts_is_each_sides_own() {
    let folder = tempfile::tempdir().unwrap();
    for (side, rounds) in [("a", 50), ("b", 200)] {
        let side = folder.path().join(side);
        fs::create_dir(&side).unwrap();
        fs::write(
            side.join("PreBench.php"),
            "<?php class PreBench { function benchWork() { for ($i = 0; $i < ROUNDS; $i++) { $x = md5('x'); } return $x; } }",
        )
        .unwrap();
        fs::write(side.join("pre.php"), format!("<?php const ROUNDS = {rounds};")).unwrap();
    }
    let (ran, json) = compare(
        folder.path(),
        &[
            "--folder",
            "a",
            "--folder",
            "b",
            ".",
            "--php-config",
            r#"{"auto_prepend_file": "pre.php"}"#,
            "--revs",
            "50",
            "--pairs",
            "12",
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = found(&json, "PreBench::benchWork");
    assert_eq!(found["verdict"], "slower", "{found}");
}

#[test]
fn an_interrupted_try_is_no_failure_of_the_subject() {
    let folder = tempfile::tempdir().unwrap();
    let begun = folder.path().join("begun");
    fs::write(
        folder.path().join("LongBench.php"),
        "<?php class LongBench { function benchWait() { touch('begun'); sleep(30); } }",
    )
    .unwrap();
    let mut child = Killed(
        phperf([
            "bench",
            "compare",
            "-q",
            ".",
            "--php-config",
            r#"{"precision": 14}"#,
            "--php-config",
            r#"{"precision": 5}"#,
        ])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap(),
    );
    while !begun.exists() {
        assert!(child.0.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    interrupt(&child.0);
    let code = child.0.wait().unwrap().code();
    let mut said = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(code, Some(130), "{said}");
    assert!(!said.contains("could not be measured"), "{said}");
}
