//! Copies do what the original does, and only their headers are others.

use crate::{
    applied::{Applied, status},
    support::{Ran, cli, number, phperf},
};
use php::{Binary, Ini, Launch, Sapi, workload};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::Command,
};

fn said(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_copy_answers_as_the_original_does() {
    let original = cli().path;
    let before = fs::read(&original).unwrap();
    for options in [&[][..], &["--narrow"]] {
        let copy = Applied::of(&original, options);
        for question in [
            &["-v"][..],
            &["-m"],
            &["-r", "echo serialize([get_defined_functions(), ini_get_all()]);"],
        ] {
            assert_eq!(
                said(&copy.path, question),
                said(&original, question),
                "{options:?}"
            );
        }
        let hello = workload("fpm/hello.php");
        assert_eq!(
            said(&copy.path, &[hello.to_str().unwrap()]),
            said(&original, &[hello.to_str().unwrap()])
        );
    }
    assert!(fs::read(&original).unwrap() == before, "the original was changed");
}

#[test]
fn tools_understand_a_copy_and_strip_keeps_it_whole() {
    let original = cli().path;
    let copy = Applied::of(&original, &[]);
    let listed = Command::new("readelf")
        .args(["-lSW"])
        .arg(&copy.path)
        .output()
        .expect("readelf starts");
    assert!(listed.status.success() && listed.stderr.is_empty(), "{listed:?}");
    let listed = String::from_utf8_lossy(&listed.stdout);
    assert!(
        listed
            .lines()
            .any(|line| line.contains("LOAD") && line.contains("R E 0x200000")),
        "{listed}"
    );
    let stripped = copy.path.with_extension("stripped");
    let strip = Command::new("strip")
        .arg("-o")
        .args([&stripped, &copy.path])
        .output()
        .expect("strip starts");
    assert!(strip.status.success() && strip.stderr.is_empty(), "{strip:?}");
    assert_eq!(said(&stripped, &["-v"]), said(&original, &["-v"]));
}

#[test]
fn all_of_the_text_is_huge_when_it_runs() {
    let Some(copy) = Applied::on_huge_pages(&cli().path) else {
        return;
    };
    let binary = Binary::describe(&copy.path, Sapi::Cli).unwrap();
    let mut script = Launch::new(&binary, workload("framework.php"))
        .ini(Ini::new().opcache())
        .ready()
        .unwrap();
    let found = status(&script.pid().to_string());
    let process = &found["processes"][0];
    assert_eq!(number(process, "huge"), number(process, "text"), "{found:#}");
    let by = if found["files"][0]["file_system"] == "tmpfs" {
        "tmpfs"
    } else {
        "page cache"
    };
    assert_eq!(process["by"], serde_json::json!([by]), "{found:#}");
    assert_eq!(process["exact"], true, "{found:#}");
    // Its code is where it should be, and what is left is the memory of opcache.
    let advice = found["advice"].to_string();
    assert!(
        advice.contains("opcache's memory does not") && advice.contains("--memory"),
        "{found:#}"
    );
    script.kill().unwrap();
}

#[test]
fn a_name_without_a_slash_is_the_file_and_not_what_path_has() {
    let folder = tempfile::tempdir().unwrap();
    // Another program has this name in PATH.
    let original = folder.path().join("cat");
    fs::copy(cli().path, &original).unwrap();
    let ran: Ran = phperf(["hugepages", "apply", "cat", "-o", "copy"])
        .current_dir(folder.path())
        .output()
        .unwrap()
        .into();
    assert!(
        ran.stdout.contains("the same answers"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert_eq!(
        said(&folder.path().join("copy"), &["-v"]),
        said(&original, &["-v"])
    );
}

#[test]
fn mode_is_kept_and_a_file_that_is_there_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("php");
    fs::copy(cli().path, &original).unwrap();
    fs::set_permissions(&original, fs::Permissions::from_mode(0o750)).unwrap();
    let copy = Applied::of(&original, &[]);
    let (ours, theirs) = (copy.path.metadata().unwrap(), original.metadata().unwrap());
    assert_eq!(
        (ours.mode(), ours.uid(), ours.gid()),
        (theirs.mode(), theirs.uid(), theirs.gid())
    );
    let names: Vec<_> = fs::read_dir(copy.path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["php"], "something was left over");
}

#[test]
fn a_copy_that_left_the_cache_is_read_in_again() {
    let Some(copy) = Applied::on_huge_pages(&cli().path) else {
        return;
    };
    let path = copy.path.to_str().unwrap();
    if status(path)["files"][0]["file_system"] == "tmpfs" {
        eprintln!("skipped: what lies in memory leaves the cache for no disk");
        return;
    }
    // Another file, read from the disk as PHP would be: in small pages.
    let file = fs::File::open(&copy.path).unwrap();
    file.sync_all().unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    fs::read(&copy.path).unwrap();
    let before = status(path);
    let ran = crate::support::run(["hugepages", "warm", path]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let after = status(path);
    let huge = |status: &serde_json::Value| number(&status["files"][0]["cached"], "huge");
    assert!(huge(&before) < huge(&after), "{before:#} {after:#}");
    assert!(huge(&after) >= number(&after["files"][0], "possible"));
}
