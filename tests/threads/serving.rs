//! A program that embeds PHP and serves requests in several threads.

use crate::support::Killed;
use php::{Ini, workload};
use std::{
    fs,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{ChildStdout, Command, Stdio},
    sync::OnceLock,
    thread,
};
use testbed::{Cache, Kind, Release, Toolchain, source};

/// So many threads serve at a time.
pub const THREADS: usize = 4;

/// The PHP with threads, compiled the first time.
pub fn zts() -> &'static Toolchain {
    static ZTS: OnceLock<Toolchain> = OnceLock::new();
    ZTS.get_or_init(|| {
        let cache = Cache::of_user().unwrap();
        let sources = source(&cache, Release::Trixie, "php8.4").unwrap();
        Toolchain::compiled(&cache, &sources, Kind::ZtsEmbed).unwrap()
    })
}

/// The program.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/threads/embed.c");
        let built = Cache::at(env!("CARGO_TARGET_TMPDIR"));
        zts().embed(&built, &source).unwrap()
    })
}

/// How to serve.
pub struct Serving<'a> {
    script: &'a str,
    arguments: &'a [&'a str],
    requests: u32,
    ini: Ini,
}

impl<'a> Serving<'a> {
    /// Each thread serves one request of this workload, which does not end.
    pub fn new(script: &'a str) -> Self {
        Self {
            script,
            arguments: &[],
            requests: 0,
            ini: Ini::new(),
        }
    }

    /// Each thread serves so many requests, and is replaced then.
    pub fn requests(self, requests: u32) -> Self {
        Self { requests, ..self }
    }

    /// With arguments for the workload.
    pub fn arguments(self, arguments: &'a [&'a str]) -> Self {
        Self { arguments, ..self }
    }

    /// With settings of PHP.
    pub fn ini(self, ini: Ini) -> Self {
        Self { ini, ..self }
    }

    /// The server, when all threads have begun to work.
    pub fn start(self) -> Server {
        let settings = tempfile::tempdir().unwrap();
        fs::write(settings.path().join("php.ini"), self.ini.lines()).unwrap();
        let mut child = Command::new(program())
            .args([THREADS.to_string(), self.requests.to_string(), "0".into()])
            .arg(workload(self.script))
            .args(self.arguments)
            .env("PHPRC", settings.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let server = Server(Killed(child));
        wait_for(stdout, THREADS);
        server
    }
}

/// One that serves, until this is dropped.
pub struct Server(Killed);

impl Server {
    pub fn id(&self) -> u32 {
        self.0.0.id()
    }
}

fn wait_for(stdout: ChildStdout, ready: usize) {
    let mut lines = BufReader::new(stdout);
    let mut left = ready;
    while left > 0 {
        let mut line = String::new();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "it ended");
        left -= usize::from(line == "ready\n");
    }
    // A full pipe would stop it.
    thread::spawn(move || io::copy(&mut lines, &mut io::sink()));
}
