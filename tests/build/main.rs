//! `phperf build`, with PHP's own sources and a real PHP-FPM: one small PHP, compiled once and kept.

#[path = "../support/mod.rs"]
mod support;

mod app;
mod asked;
mod clang;
mod guards;
mod hosts;
mod servers;
mod swap;
mod whole;

use nix::unistd::Uid;
use php::Binary;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use support::Ran;
use testbed::{Cache, Release, Workshop, source};

/// A folder in which all tests build, one after the other: what they share is compiled once.
struct Place {
    shop: Workshop,
    archive: PathBuf,
}

/// A small PHP without what takes long to compile.
const CONFIGURE: [&str; 3] = ["--disable-all", "--without-pcre-jit", "CFLAGS=-O1"];

/// PHP's sources, as an archive; `None` where they cannot be had.
fn archive() -> Option<PathBuf> {
    let cache = Cache::of_user().unwrap();
    let tree = match source(&cache, Release::Bookworm, "php8.2") {
        Ok(tree) => tree,
        Err(error) if error.is_unavailable() && env::var_os("PHPERF_REQUIRE_TOOLS").is_none() => {
            eprintln!("skipped: {error}");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let package = tree.parent().unwrap();
    let mut files = fs::read_dir(package).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.to_string_lossy().ends_with(".orig.tar.xz"))
}

/// `phperf build` of the small PHP in a folder.
fn build(archive: &Path, folder: &Path) -> Command {
    let cli = Binary::cli().unwrap();
    let fpm = Binary::fpm().unwrap();
    // A test that is killed takes phperf with it, which ends what it has started.
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "TERM", "--", env!("CARGO_BIN_EXE_phperf")])
        .args(["build", "--yes", "-o"])
        .arg(folder)
        .stdin(Stdio::null())
        .arg("--source")
        .arg(archive)
        .arg("--against")
        .arg(cli.path)
        .arg("--against")
        .arg(fpm.path)
        .args(CONFIGURE.map(|option| format!("--configure={option}")))
        // The versions of both are not the same.
        .args(["--ignore-output", "X-Powered-By: [^\r\n]*\r\n"])
        // Settings of this machine's PHP are for that PHP.
        .env("PHP_INI_SCAN_DIR", "/nonexistent");
    command
}

impl Place {
    /// `None` where the sources cannot be had.
    fn get() -> Option<Self> {
        let archive = archive()?;
        let shop = Cache::of_user()
            .unwrap()
            .workshop("trained-php", (&archive, CONFIGURE))
            .unwrap();
        let app = shop.folder().join("app");
        let _ = fs::remove_dir_all(&app);
        app::write(&app);
        Some(Self { shop, archive })
    }

    fn build(&self) -> PathBuf {
        self.shop.folder().join("build")
    }

    fn app(&self, file: &str) -> PathBuf {
        self.shop.folder().join("app").join(file)
    }

    /// `phperf build` of the small PHP, to be trained on something.
    fn command(&self) -> Command {
        build(&self.archive, &self.build())
    }

    /// The same, to be trained on pages.
    fn site(&self, arguments: &[&str]) -> Command {
        let mut command = self.command();
        if Uid::effective().is_root() {
            command.args(["--user", "root"]);
        }
        command.arg("--root").arg(self.app("")).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.command().args(arguments).output().unwrap().into()
    }

    /// The one training of which an optimised build is made: pages and a script.
    fn usual(&self) -> Command {
        let mut command = self.site(&[
            "--request",
            "/ 3",
            "--request",
            "/more.php?n=5",
            "--requests",
            "40",
        ]);
        command
            .arg("--train-cli")
            .arg(format!("{} 30", self.app("job.php").display()));
        command
    }
}

/// The lines on standard error that say this.
fn lines<'a>(ran: &'a Ran, says: &str) -> Vec<&'a str> {
    ran.stderr.lines().filter(|line| line.contains(says)).collect()
}

/// It ended with this code, and says this in one line.
#[track_caller]
fn assert_ended(ran: &Ran, code: i32, says: &str) {
    assert_eq!(
        (ran.code, lines(ran, says).len()),
        (code, 1),
        "{says:?}: {}",
        ran.stderr
    );
}

/// Of a build that is not shared: trained on all of the application in few requests, installed, and all of this said.
#[track_caller]
fn assert_trains(command: &mut Command, folder: &Path, says: &[&str]) {
    let pages = folder.join("app");
    app::write(&pages);
    let ran: Ran = command
        .args(["--request", "/ 3", "--request", "/more.php?n=5"])
        .args(["--requests", "20", "--pairs", "2", "--train-cli"])
        .arg(format!("{} 3", pages.join("job.php").display()))
        .arg("--root")
        .arg(&pages)
        .arg("--install")
        .arg(folder.join("prefix"))
        .output()
        .unwrap()
        .into();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for says in says {
        assert!(
            ran.stdout.contains(says),
            "no {says:?} in {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

fn is_running(pid: &str) -> bool {
    Path::new("/proc").join(pid.trim()).exists()
}
