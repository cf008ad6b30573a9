//! A new binary under a PHP-FPM that answers requests all the while.

use crate::support::{Ran, assert_says, phperf};
use php::{Binary, Fpm, Ini, Manager, Pool, Request, workload};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
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

    fn swap(&self, what: &[&str]) -> Ran {
        let pid = self.fpm.master().to_string();
        phperf(["swap", "-p", &pid]).args(what).output().unwrap().into()
    }

    fn swap_to(&self, new: &Path) -> Ran {
        self.swap(&[new.to_str().unwrap()])
    }

    /// What master and workers run.
    fn runs(&self, inode: u64) -> bool {
        let mut pids = self.fpm.workers().unwrap();
        assert_eq!(pids.len(), 2);
        pids.push(self.fpm.master());
        pids.iter()
            .all(|pid| fs::metadata(format!("/proc/{pid}/exe")).unwrap().ino() == inode)
    }

    fn kept(&self) -> PathBuf {
        self.old.with_file_name("php-fpm8.2.before-swap")
    }
}

#[test]
fn ten_thousand_requests_notice_nothing() {
    let place = Place::with(PATIENCE);
    let request = Request::get(workload("fpm/hello.php"), "");
    let socket = place.fpm.socket("www");
    let (answered, failed, over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let first = fs::metadata(&place.old).unwrap().ino();
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let right = request
                        .send(&socket)
                        .is_ok_and(|answer| answer.body() == "Hello, World!\n");
                    (if right { &answered } else { &failed }).fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let until = |count: u64| {
            while answered.load(Ordering::Relaxed) + failed.load(Ordering::Relaxed) < count {
                thread::yield_now();
            }
        };
        until(REQUESTS / 10);
        let swapped = place.swap_to(&place.new);
        let second = fs::metadata(&place.old).unwrap().ino();
        let is_new = place.runs(second);
        until(answered.load(Ordering::Relaxed) + REQUESTS / 10);
        let back = place.swap(&["--back"]);
        let is_old = place.runs(first);
        until(REQUESTS);
        over.store(true, Ordering::Relaxed);
        assert_says(&swapped, 0, &["runs", "trained", "before-swap"]);
        assert_says(&back, 0, &["runs its old program again"]);
        assert!(second != first && is_new && is_old);
    });
    assert_eq!(failed.load(Ordering::Relaxed), 0);
    assert!(answered.load(Ordering::Relaxed) >= REQUESTS);
    assert!(!place.kept().exists());
}

#[test]
fn a_swap_that_would_cost_requests_or_the_old_binary_is_refused() {
    let place = Place::with(Duration::ZERO);
    assert_says(
        &place.swap_to(&place.new),
        2,
        &["process_control_timeout = 10s in", "php-fpm.conf"],
    );
    let cli = Binary::cli().unwrap().path;
    assert_says(&place.swap_to(&cli), 1, &["is no drop-in for"]);
    assert_says(&place.swap(&["--back"]), 2, &["was not swapped"]);
    fs::write(place.kept(), "").unwrap();
    assert_says(&place.swap_to(&place.new), 2, &["was swapped before", "--back"]);
    let own = std::process::id().to_string();
    let ran: Ran = phperf(["swap", "-p", &own, "--back"]).output().unwrap().into();
    assert_says(&ran, 2, &["is no master of PHP-FPM"]);
}
