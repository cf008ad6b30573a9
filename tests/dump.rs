//! `phperf dump` of many processes at once, and what it tells of variables and locks.

mod support;

use php::{Binary, Fpm, Ini, Load, Manager, Pool, Request};
use std::{
    fs::{self, File},
    path::Path,
};
use support::{
    Ran, assert_says,
    counting::{CALL, END, Work},
    run, script,
};

/// Hangs in a lock that the test holds.
const PAGE: &str = "<?php
function hang(string $name) {
    flock(fopen($_GET['file'], 'r'), LOCK_EX);
}
hang('door');
";

/// `dump` with these arguments, again and again until it says this.
#[track_caller]
fn until(arguments: &[&str], says: &str) -> Ran {
    loop {
        let ran = run([&["dump"], arguments].concat());
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{}", ran.stdout);
        if ran.stdout.contains(says) {
            return ran;
        }
    }
}

#[test]
fn how_long_a_request_has_been_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(
        folder.path(),
        "<?php $_SERVER['REQUEST_TIME_FLOAT']; echo \"ready\\n\"; sleep(600);",
    );
    let age = || -> f64 {
        let ran = run(["dump", "--request", "-p", &target.pid().to_string()]);
        let age = ran
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix("  began ")?.strip_suffix(" s ago"));
        age.unwrap_or_else(|| panic!("{}{}", ran.stdout, ran.stderr))
            .parse()
            .unwrap()
    };
    let first = age();
    // It grows, and is not far off.
    while age() <= first {}
    assert!(first < 600.0, "{first}");
}

#[test]
fn of_all_workers_the_one_that_hangs_is_seen_with_who_holds_its_lock() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.php");
    fs::write(&page, PAGE).unwrap();
    let door = folder.path().join("door");
    let lock = File::create(&door).unwrap();
    lock.lock().unwrap();
    let pool = format!("dump-{}", std::process::id());
    let binary = Binary::fpm().expect("there is a php-fpm: scripts/setup.sh test installs it");
    let fpm = Fpm::start(&binary, &Ini::new(), &[Pool::new(&pool, Manager::Static(3))]).unwrap();
    let query = format!("file={}", door.display());
    let load = Load::start(fpm.socket(&pool), &Request::get(page.clone(), &query), 1).unwrap();

    let waits = format!(
        "  waits in flock for {}, locked by {} (",
        door.display(),
        std::process::id()
    );
    let asked = [
        "--fpm",
        &pool,
        "--request=method",
        "--peek",
        "name@page.php:3",
        "--global",
        "get.file",
    ];
    let ran = until(&asked, &waits);
    let lines: Vec<&str> = ran.stdout.lines().skip(2).collect();
    let page = page.display();
    let expected = [
        "  #0 flock".to_owned(),
        format!("  #1 hang {page}:3"),
        "       $name = door".to_owned(),
        format!("  #2 <main> {page}:5"),
        format!("  get.file = {}", door.display()),
        "  method GET".to_owned(),
        String::new(),
    ];
    assert_eq!(lines[..7], expected, "{}", ran.stdout);
    assert!(
        lines[7].starts_with("2 of 3 processes run no PHP code: ") && lines.len() == 8,
        "{}",
        ran.stdout
    );
    let other = run(["dump", "--fpm", &format!("{pool}x")]);
    assert_says(&other, 1, &["these pools have some", &pool]);
    drop(lock);
    drop(load);
    let idle = until(&["--fpm", &pool], "3 of 3 processes run no PHP code: ");
    assert_eq!(idle.stdout.lines().count(), 1, "{}", idle.stdout);
}

#[test]
fn a_pattern_finds_processes_and_leaves_out_what_is_not_php() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(folder.path(), "<?php echo \"ready\\n\"; sleep(600);");
    // The folder's name is in the command lines of the target and of this.
    let path = folder.path().join("script.php");
    let path = path.to_str().unwrap();
    let mut other = std::process::Command::new("tail");
    let other = other.args(["-f", path]).stdout(std::process::Stdio::null());
    let other = support::Killed(other.spawn().unwrap());
    let ran = until(&["-P", path], "#0 sleep");
    assert!(
        ran.stdout.starts_with(&format!("{} ", target.pid())),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stdout.matches("(PHP ").count(), 1, "{}", ran.stdout);
    drop(other);
}

#[test]
fn nobody_is_told_in_one_line() {
    let ran = run(["dump", "--fpm", "no such pool"]);
    assert_says(&ran, 1, &["no worker of pool no such pool", "ondemand"]);
    let ran = run(["dump", "-P", "no such process anywhere"]);
    assert_says(&ran, 1, &["no running PHP process matches"]);
    assert_eq!(run(["dump", "--fpm", "--core", "core"]).code, 2);
    assert_says(&run(["dump"]), 2, &["--pid", "--fpm", "--core", "is missing"]);
}

/// What the frames outside of the innermost one say of the variables, by the frame's function.
fn values(text: &str) -> Vec<(String, String)> {
    let mut frame = String::new();
    let mut values = Vec::new();
    for line in text.lines() {
        if let Some(value) = line.strip_prefix("       $") {
            values.push((frame.clone(), value.to_owned()));
        } else if let Some(rest) = line.strip_prefix("  #") {
            let (number, rest) = rest.split_once(' ').unwrap();
            let name = rest.split(' ').next().unwrap();
            frame = if number == "0" {
                String::new()
            } else {
                name.to_owned()
            };
        }
    }
    values.retain(|(frame, _)| !frame.is_empty());
    values
}

fn check(text: &str, script: &Path) -> bool {
    assert!(text.contains(script.to_str().unwrap()), "{text}");
    let values = values(text);
    let of = |wanted: &str, name: &str| {
        let name = format!("{name} = ");
        let mut of = values.iter().filter(|(frame, _)| frame == wanted);
        of.find_map(|(_, value)| Some(value.strip_prefix(&name)?.to_owned()))
    };
    let Some(n) = of("step", "n") else { return false };
    let n: u64 = n.parse().unwrap();
    assert_eq!(of("step", "twice").unwrap(), (n * 2).to_string(), "{text}");
    assert_eq!(of("step", "text").unwrap(), format!("n is {n}"), "{text}");
    assert_eq!(of("<main>", "counter").unwrap(), n.to_string(), "{text}");
    assert!(text.contains(&format!("  globals.counter = {n}\n")), "{text}");
    true
}

#[test]
fn values_and_stacks_belong_together_while_it_computes() {
    let folder = tempfile::tempdir().unwrap();
    let target = Work::Computes.start(folder.path());
    let pid = target.pid().to_string();
    let mut places = ["n", "twice", "text"]
        .map(|name| format!("{name}@script.php:{CALL}"))
        .to_vec();
    places.push(format!("counter@script.php:1-{END}"));
    let mut seen = 0;
    while seen < 20 {
        let mut arguments = vec!["dump", "-p", &pid, "--global", "globals.counter"];
        for place in &places {
            arguments.extend(["--peek", place]);
        }
        let ran = run(arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        if ran.stdout.contains("(values are not known") {
            assert!(!ran.stdout.contains(" = "), "{}", ran.stdout);
            continue;
        }
        seen += u32::from(check(&ran.stdout, &folder.path().join("script.php")));
    }
}
