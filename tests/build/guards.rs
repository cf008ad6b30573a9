//! What must not be lost, and is.

use crate::{Place, app, archive, assert_ended, is_running, lines, support::Ran};
use nix::unistd::Uid;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    process::Stdio,
    thread,
};

#[test]
fn a_worker_that_dies_before_it_writes_its_counters_is_missed() {
    let Some(place) = Place::get() else { return };
    let asked = [
        "--request",
        "/",
        "--request",
        "/dies.php",
        "--requests",
        "4",
        "--no-measure",
        "--train-cli",
    ];
    // More requests of scripts than were lost of the server.
    let scripts = place.app("starts.php");
    let ran: Ran = place.site(&asked).arg(scripts).output().unwrap().into();
    assert_ended(
        &ran,
        1,
        "requests were counted: a process was killed before it wrote its counters",
    );
}

#[test]
fn counters_that_could_not_be_written_are_missed() {
    let Some(place) = Place::get() else { return };
    if !Uid::effective().is_root() {
        eprintln!("skipped: only root can let another user serve");
        return;
    }
    let mode = |mode| fs::set_permissions(place.shop.folder(), fs::Permissions::from_mode(mode)).unwrap();
    let root = tempfile::tempdir().unwrap();
    app::write(root.path());
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
    mode(0o700);
    let ran: Ran = place
        .command()
        .args(["--user", "www-data", "--request", "/", "--requests", "4"])
        .args(["--no-measure", "--root"])
        .arg(root.path())
        .output()
        .unwrap()
        .into();
    mode(0o755);
    assert_ended(&ran, 1, "0 of 4 requests were counted");
}

#[test]
fn pages_that_fail_are_no_training() {
    let Some(place) = Place::get() else { return };
    for (page, told) in [
        ("/fails.php", "/fails.php was answered with 503: no database"),
        ("/silent.php", "/silent.php was not answered: "),
    ] {
        let asked = ["--request", "/", "--request", page, "--no-measure"];
        let ran: Ran = place.site(&asked).output().unwrap().into();
        assert_ended(&ran, 1, &format!("the training failed: {told}"));
    }
}

#[test]
fn counters_that_are_gone_are_missed_before_anything_is_compiled() {
    let Some(place) = Place::get() else { return };
    let ran: Ran = place.usual().arg("--no-measure").output().unwrap().into();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let [counters, kept, stamp] = [
        "profile/Zend/zend_execute.gcda",
        "zend_execute.gcda",
        "stamps/optimise",
    ]
    .map(|file| place.build().join(file));
    let done = fs::read(&stamp).unwrap();
    fs::rename(&counters, &kept).unwrap();
    let ran: Ran = place
        .usual()
        .args(["--no-measure", "--from", "optimise"])
        .output()
        .unwrap()
        .into();
    fs::rename(&kept, &counters).unwrap();
    // Nothing was touched: the tests after this one need not compile.
    fs::write(&stamp, done).unwrap();
    assert_eq!(
        (ran.code, lines(&ran, "files of counters are left in").len()),
        (1, 1),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_script_that_fails_is_no_training() {
    let Some(place) = Place::get() else { return };
    let ran = place.run(&["--train-cli", "/nowhere.php", "--no-measure"]);
    assert_ended(
        &ran,
        1,
        "the training failed: /nowhere.php failed: Could not open",
    );
}

#[test]
fn sources_that_change_during_the_training_are_found_and_fetched_again() {
    let Some(place) = Place::get() else { return };
    let edited = place.build().join("source/Zend/zend_execute.c");
    let script = format!("{} {}", place.app("edits.php").display(), edited.display());
    let ran = place.run(&["--train-cli", &script, "--no-measure"]);
    let is_edited = || fs::read_to_string(&edited).unwrap().ends_with("/* edited */\n");
    assert_ended(&ran, 1, "changed while PHP was trained");
    assert!(is_edited());
    let ran = place.run(&["--train-cli", "/nowhere.php", "--no-measure"]);
    assert_eq!(lines(&ran, "instrument: done before").len(), 1, "{}", ran.stderr);
    assert!(!is_edited());
}

#[test]
fn ctrl_c_leaves_a_state_that_goes_on() {
    let Some(place) = Place::get() else { return };
    let mark = place.app("mark");
    let script = format!("{} {}", place.app("waits.php").display(), mark.display());
    let mut child = place
        .command()
        .args(["--train-cli", &script, "--no-measure"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !mark.exists() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "it ended before it was interrupted"
        );
        thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_ended(&ran, 130, "interrupted: the same command goes on from here");
    assert!(!is_running(&fs::read_to_string(mark).unwrap()));

    let script = format!("{} 1", place.app("job.php").display());
    let ran = place.run(&[
        "--train-cli",
        &script,
        "--train-cli",
        "/nowhere.php",
        "--no-measure",
    ]);
    assert_eq!(lines(&ran, "instrument: done before").len(), 1, "{}", ran.stderr);
}

#[test]
fn two_do_not_build_in_one_folder() {
    let Some(place) = Place::get() else { return };
    fs::create_dir_all(place.build()).unwrap();
    let lock = fs::File::create(place.build().join("lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let ran: Ran = place
        .site(&["--request", "/", "--no-measure"])
        .output()
        .unwrap()
        .into();
    assert_eq!(
        (ran.code, lines(&ran, "another phperf builds in").len()),
        (1, 1),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_build_that_is_killed_takes_its_compilers_along_and_goes_on() {
    let Some(archive) = archive() else { return };
    let build = tempfile::tempdir().unwrap();
    // Until so many files were begun: how many there are to compile. Two are compiled at a time.
    let start = |least: usize| {
        let mut child = crate::build(&archive, build.path())
            .args(["--train-cli", "job.php", "--no-measure", "--jobs", "2"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let of = said.by_ref().map(Result::unwrap).find_map(|line| {
            let (begun, of) = line.strip_prefix("phperf: instrument: ")?.split_once(" of ")?;
            let of = of.split(' ').next()?.parse::<usize>().ok()?;
            (begun.parse::<usize>().ok()? >= least).then_some(of)
        });
        // What it says has to be read to the end.
        (child, said, of.expect("it compiles"))
    };
    let compiled = || {
        let files = fs::read_dir(build.path().join("instrumented/main")).unwrap();
        let mut compiled: Vec<_> = files
            .map(|file| file.unwrap())
            .filter(|file| file.path().extension().is_some_and(|it| it == "lo"))
            .map(|file| (file.file_name(), file.metadata().unwrap().modified().unwrap()))
            .collect();
        compiled.sort();
        compiled
    };
    let (mut child, _said, of) = start(3);
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    // Whoever compiles has the lock as well. It is free before the build is whole.
    let lock = fs::File::open(build.path().join("lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    drop(lock);
    assert!(!build.path().join("instrumented/sapi/cli/php").exists());
    let before = compiled();

    let (mut child, _said, left) = start(0);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(left < of, "{left} of {of}");
    let after = compiled();
    assert!(before.iter().all(|file| after.contains(file)));
    let log = fs::read_to_string(build.path().join("logs/instrumented.log")).unwrap();
    assert_eq!(log.matches("creating main/php_config.h").count(), 1);
}
