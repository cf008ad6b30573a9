//! A new binary under a PHP-FPM that answers requests all the while.

use crate::support::{Ran, assert_says, phperf};
use php::{Binary, Fpm, Ini, Manager, Pool, Request, workload};
use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{Receiver, sync_channel},
    thread,
    time::{Duration, SystemTime},
};

const PATIENCE: Duration = Duration::from_secs(20);
const CLIENTS: usize = 4;
const REQUESTS: u64 = 10_000;

/// A PHP-FPM of a copy of this machine's, and another copy.
struct Place {
    fpm: Fpm,
    old: PathBuf,
    new: PathBuf,
    _folder: tempfile::TempDir,
}

impl Place {
    fn with(patience: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let binary = Binary::fpm().unwrap();
        let [old, new] = ["php-fpm8.2", "trained"].map(|name| {
            let path = folder.path().join(name);
            fs::copy(&binary.path, &path).unwrap();
            path
        });
        let copy = Binary {
            path: old.clone(),
            ..binary
        };
        let pools = [Pool::new("www", Manager::Static(2))];
        let fpm = Fpm::patient(&copy, &Ini::new(), &pools, patience).unwrap();
        Self {
            fpm,
            old,
            new,
            _folder: folder,
        }
    }

    /// `phperf swap` of this master.
    fn swap(&self, what: impl AsRef<OsStr>) -> Command {
        let mut command = phperf(["swap", "-p", &self.fpm.master().to_string()]);
        command.arg(what);
        command
    }

    /// Whether the master and both workers, once they are there, run this file.
    fn runs(&self, inode: u64) -> bool {
        let mut pids = loop {
            match self.fpm.workers().unwrap() {
                pids if pids.len() == 2 => break pids,
                _ => thread::yield_now(),
            }
        };
        pids.push(self.fpm.master());
        pids.iter()
            .all(|pid| fs::metadata(format!("/proc/{pid}/exe")).is_ok_and(|metadata| metadata.ino() == inode))
    }

    fn kept(&self) -> PathBuf {
        self.old.with_file_name("php-fpm8.2.before-swap")
    }
}

/// Clients that ask over and over until this is dropped; each answer is told to whoever counts.
struct Clients {
    answers: Receiver<bool>,
    right: u64,
    wrong: u64,
}

impl Clients {
    fn of(socket: &Path) -> Self {
        let (sender, answers) = sync_channel(CLIENTS);
        for _ in 0..CLIENTS {
            let (sender, socket) = (sender.clone(), socket.to_owned());
            let request = Request::get(workload("fpm/hello.php"), "");
            thread::spawn(move || {
                let ask = || {
                    request
                        .send(&socket)
                        .is_ok_and(|answer| answer.body() == "Hello, World!\n")
                };
                while sender.send(ask()).is_ok() {}
            });
        }
        Self {
            answers,
            right: 0,
            wrong: 0,
        }
    }

    /// Counts so many answers more.
    fn count(&mut self, answers: u64) {
        for right in self.answers.iter().take(answers as usize) {
            *(if right { &mut self.right } else { &mut self.wrong }) += 1;
        }
    }

    /// Counts answers while a program runs.
    fn count_during(&mut self, command: &mut Command) -> Ran {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() {
            self.count(1);
        }
        child.wait_with_output().unwrap().into()
    }
}

#[test]
fn ten_thousand_requests_notice_nothing() {
    let place = Place::with(PATIENCE);
    let first = fs::metadata(&place.old).unwrap().ino();
    let mut clients = Clients::of(&place.fpm.socket("www"));
    clients.count(REQUESTS / 4);
    let swapped = clients.count_during(&mut place.swap(&place.new));
    let second = fs::metadata(&place.old).unwrap().ino();
    assert_says(&swapped, 0, &["runs", "trained", "before-swap"]);
    assert!(second != first && place.runs(second));
    clients.count(REQUESTS / 4);
    let back = clients.count_during(&mut place.swap("--back"));
    assert_says(&back, 0, &["runs its old program again"]);
    assert!(place.runs(first));
    clients.count(REQUESTS / 2);
    assert_eq!(clients.wrong, 0, "of {}", clients.right + clients.wrong);
    assert!(clients.right >= REQUESTS);
    assert!(!place.kept().exists());
}

#[test]
fn a_swap_that_would_cost_requests_or_the_old_binary_is_refused() {
    let place = Place::with(Duration::ZERO);
    let ran = |mut command: Command| -> Ran { command.output().unwrap().into() };
    assert_says(
        &ran(place.swap(&place.new)),
        2,
        &["process_control_timeout = 10s in", "php-fpm.conf"],
    );
    // What the master has not read yet does not count.
    let configuration = place.fpm.folder().join("php-fpm.conf");
    let text = fs::read_to_string(&configuration).unwrap();
    fs::write(&configuration, text.replace("timeout = 0", "timeout = 20")).unwrap();
    let later = SystemTime::now() + Duration::from_secs(1);
    fs::File::options()
        .write(true)
        .open(&configuration)
        .unwrap()
        .set_modified(later)
        .unwrap();
    assert_says(
        &ran(place.swap(&place.new)),
        2,
        &["php-fpm.conf changed after PHP-FPM had read it"],
    );
    let cli = Binary::cli().unwrap().path;
    assert_says(&ran(place.swap(&cli)), 1, &["is no drop-in for"]);
    assert_says(&ran(place.swap("--back")), 2, &["was not swapped"]);
    fs::write(place.kept(), "").unwrap();
    assert_says(&ran(place.swap(&place.new)), 2, &["was swapped before", "--back"]);
    let own = std::process::id().to_string();
    assert_says(
        &ran(phperf(["swap", "-p", &own, "--back"])),
        2,
        &["is no master of PHP-FPM"],
    );
}
