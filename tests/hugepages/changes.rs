//! What is changed on a machine, and undone.

use crate::{
    applied::{has_no_huge_pages, status, status_of},
    support::{Ran, assert_says, cli, number, phperf},
    units,
};
use php::{Binary, Fpm, Ini, Manager, Pool, Request, Sapi, workload};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Changes that are noted in a folder of the test's own.
struct State(TempDir);

impl State {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = phperf(["hugepages"]);
        command.args(arguments).env("PHPERF_STATE", self.0.path());
        command.output().expect("phperf starts").into()
    }

    fn journal(&self) -> PathBuf {
        self.0.path().join("hugepages.json")
    }
}

/// A file system in memory without huge pages; `None`, with a message, where none can be mounted.
struct Mounted(TempDir);

impl Mounted {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "mode=755,size=64m,huge=never", "phperf-test"])
            .arg(folder.path())
            .output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("skipped: file systems cannot be mounted here");
        None
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

#[test]
fn a_file_system_in_memory_comes_and_goes() {
    if Mounted::new().is_none() {
        return;
    }
    let state = State::new();
    let folder = tempfile::tempdir().unwrap();
    let (php, to) = (cli().path, folder.path().to_str().unwrap().to_owned());
    let apply = ["apply", php.to_str().unwrap(), "--tmpfs", &to];
    assert_says(&state.run(&apply), 2, &["nobody is there to be asked", "--yes"]);
    let dry = state.run(&[&apply[..], &["--dry-run"]].concat());
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert!(dry.stdout.contains("nothing was changed"), "{}", dry.stdout);
    assert!(!state.journal().exists());

    let unit = state.0.path().join("huge.service");
    let ran = state.run(&[&apply[..], &["--yes", "--unit", unit.to_str().unwrap()]].concat());
    let copy = folder.path().join(php.file_name().unwrap());
    assert!(copy.is_file(), "{}{}", ran.stdout, ran.stderr);
    let found = status_of(&copy);
    if ran.code == 0 {
        assert_eq!(number(&found["files"][0]["cached"], "huge"), 4 << 20, "{found:#}");
    } else {
        assert!(has_no_huge_pages(&found), "{found:#}{}", ran.stderr);
        assert_says(&ran, 1, &["huge pages"]);
    }
    assert!(
        fs::read_to_string(&unit)
            .unwrap()
            .contains(&format!("--tmpfs {to} --yes"))
    );
    if let Some(verdict) = units::taken(&unit) {
        assert_eq!(verdict, Ok(()));
    }
    // A second one has no place there.
    assert_says(&state.run(&[&apply[..], &["--yes"]].concat()), 1, &["--force"]);

    let reverted = state.run(&["revert", "--yes"]);
    assert_eq!(reverted.code, 0, "{}", reverted.stderr);
    assert!(!copy.exists() && !unit.exists() && !state.journal().exists());
    assert_says(&state.run(&["revert", "--yes"]), 1, &["nothing to undo"]);
}

#[test]
fn settings_of_opcache_come_and_go() {
    let state = State::new();
    let settings = tempfile::tempdir().unwrap();
    // The folders of the distribution, and this one.
    let folders = format!(":{}", settings.path().display());
    let run = |arguments: &[&str]| -> Ran {
        let mut command = phperf(["hugepages"]);
        command
            .args(arguments)
            .env("PHPERF_STATE", state.0.path())
            .env("PHP_INI_SCAN_DIR", &folders);
        command.output().expect("phperf starts").into()
    };
    let value = || {
        let output = Command::new(cli().path)
            .args(["-r", "echo ini_get('opcache.huge_code_pages');"])
            .env("PHP_INI_SCAN_DIR", &folders)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(value(), "0");
    let php = cli().path;
    let ran = run(&["apply", php.to_str().unwrap(), "--opcache", "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(value(), "1");
    let again = run(&["apply", php.to_str().unwrap(), "--opcache", "--yes"]);
    assert_says(&again, 1, &["is there already"]);
    let ran = run(&["revert", "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(value(), "0");
    assert_eq!(fs::read_dir(settings.path()).unwrap().count(), 0);
}

#[test]
fn workers_that_run_are_gathered() {
    let Some(memory) = Mounted::new() else { return };
    let state = State::new();
    let original = Binary::fpm().unwrap().path;
    let copy = memory.0.path().join("php-fpm");
    // In small pages, as this file system has no others.
    let ran = state.run(&["apply", original.to_str().unwrap(), "-o", copy.to_str().unwrap()]);
    assert_says(&ran, 1, &["the copy is whole", "without huge=within_size"]);
    let pool = format!("huge-{}", std::process::id());
    let binary = Binary::describe(&copy, Sapi::Fpm).unwrap();
    let fpm = Fpm::start(&binary, &Ini::new(), &[Pool::new(&pool, Manager::Static(2))]).unwrap();
    let hello = Request::get(workload("fpm/hello.php"), "name=php");
    for _ in 0..4 {
        assert_eq!(fpm.request(&pool, &hello).unwrap().status(), 200);
    }
    let shares = || -> Vec<(u64, u64)> {
        let pids = fpm.workers().unwrap();
        let found = pids
            .iter()
            .map(|pid| status(&pid.to_string())["processes"][0].clone());
        found
            .map(|one| (number(&one, "huge"), number(&one, "text")))
            .collect()
    };
    assert!(shares().iter().all(|(huge, _)| *huge == 0), "{:?}", shares());
    let ran = state.run(&["apply", "--fpm", &pool, "--yes"]);
    if ran.code != 0 {
        let found = status_of(&copy);
        let release = found["kernel"]["release"].as_str().unwrap().to_owned();
        let is_old = release.starts_with("5.") || release.starts_with("6.0");
        assert!(is_old || has_no_huge_pages(&found), "{release}: {}", ran.stderr);
        eprintln!("skipped: {}", ran.stderr.trim());
        return;
    }
    assert_eq!(shares().len(), 2);
    assert!(shares().iter().all(|(huge, text)| huge == text), "{:?}", shares());
    assert_eq!(fpm.request(&pool, &hello).unwrap().status(), 200);
    let ran = state.run(&["apply", "--fpm", &pool, "--yes"]);
    assert_says(&ran, 1, &["nothing was changed"]);
    assert!(
        ran.stdout.contains("all of its code lies on huge pages"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_cannot_be_gathered_is_told_why() {
    let state = State::new();
    let script = crate::support::running("framework.php");
    let pid = script.pid().to_string();
    let ran = state.run(&["apply", &pid, "--yes"]);
    assert_says(&ran, 1, &["nothing was changed"]);
    assert!(ran.stdout.contains("not aligned to 2 MB"), "{}", ran.stdout);
    assert_says(
        &state.run(&["apply", "--fpm", "no-such-pool", "--yes"]),
        1,
        &["no worker of PHP-FPM runs in pool"],
    );
    assert_says(
        &state.run(&["apply", &pid, "--opcache"]),
        2,
        &["a process is gathered where it is"],
    );
    assert_says(&state.run(&["apply", "/usr/bin/php"]), 2, &["say how", "-o COPY"]);
    let full = state.run(&["apply", cli().path.to_str().unwrap(), "--tmpfs", "/usr", "--yes"]);
    assert_says(&full, 1, &["/usr", "not empty"]);
    assert!(!Path::new("/usr").join(cli().path.file_name().unwrap()).exists());
}
