//! Several threads of one process, each with connections, a cache and a pool of its own, at once.

use crate::{
    support::{build, built, or_skip, postgres, script},
    versions::toolchain,
};
use php::Ini;
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use testbed::{Kind, Postgres};

const THREADS: u32 = 4;
const REQUESTS: u32 = 10;
/// Of those that take each other's place.
const TOTAL: u32 = 24;
/// How requests end: a share of each, by their number.
const ENDS: [(&str, u32); 7] = [
    ("cycle", 1),
    ("exit", 1),
    ("fatal", 1),
    ("forgotten", 1),
    ("killed", 1),
    ("thrown", 1),
    ("well", 2),
];
/// How long the server may take to notice that connections are closed.
const NOTICED_WITHIN: Duration = Duration::from_secs(60);

/// The program of `tests/fixtures/threads`, with the extension loaded.
struct Server {
    program: PathBuf,
    settings: tempfile::TempDir,
}

impl Server {
    fn with_extension() -> Option<Self> {
        let toolchain = or_skip(toolchain(Kind::ZtsEmbed))?;
        let extension = build(&toolchain);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/threads/embed.c");
        let program = toolchain.embed(&built(), &source).unwrap();
        let ini = Ini::new()
            .set("extension", extension.module().to_string_lossy())
            .set("pdo_pool.stmt_cache_size", "8");
        let settings = tempfile::tempdir().unwrap();
        fs::write(settings.path().join("php.ini"), ini.lines()).unwrap();
        Some(Self { program, settings })
    }

    fn serve(&self, mode: &str, dsn: &str) -> Serving {
        let child = Command::new(&self.program)
            .args([THREADS, REQUESTS, TOTAL].map(|number| number.to_string()))
            .arg(script("threads.php"))
            .args([mode, dsn])
            .env("PHPRC", self.settings.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Serving(child)
    }
}

/// It is killed when this is dropped.
struct Serving(Child);

impl Serving {
    /// What was said until the last thread has ended.
    fn said(&mut self) -> Vec<String> {
        let stdout = self.0.stdout.take().unwrap();
        let lines = BufReader::new(stdout).lines().map(Result::unwrap);
        let mut said: Vec<String> = Vec::new();
        for line in lines {
            if line == "served" {
                return said;
            }
            said.push(line);
        }
        panic!("it ended with {}: {said:#?}", self.0.wait().unwrap());
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        let status = self.0.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ask(database: &Postgres, sql: &str) -> String {
    database.query("postgres", sql).unwrap().join("\n")
}

fn wait_until_all_are_closed(database: &Postgres, mode: &str) {
    let begun = Instant::now();
    let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'threads'";
    while ask(database, count) != "0" {
        assert!(begun.elapsed() < NOTICED_WITHIN, "{mode}: connections are left");
    }
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn threads_have_connections_of_their_own_and_leave_none() {
    let Some(server) = Server::with_extension() else {
        return;
    };
    let database = postgres();
    let dsn = format!("{};application_name=threads", database.dsn("postgres"));
    for mode in ["cached", "persistent", "pool"] {
        ask(
            &database,
            "DROP TABLE IF EXISTS thing; DROP SEQUENCE IF EXISTS number; \
             CREATE TABLE thing (number int, due bool); CREATE SEQUENCE number",
        );
        let mut serving = server.serve(mode, &dsn);
        let said = serving.said();
        // PHP 8.4 closes those that are persistent when the process ends, and not when their thread does.
        if mode == "persistent" {
            serving.end();
            wait_until_all_are_closed(&database, mode);
        } else {
            wait_until_all_are_closed(&database, mode);
            serving.end();
        }

        let wrong: Vec<_> = said.iter().filter(|line| line.starts_with("wrong")).collect();
        assert!(wrong.is_empty(), "{mode}: {wrong:#?}");
        let mut ends: BTreeMap<&str, u32> = BTreeMap::new();
        for end in said.iter().filter_map(|line| line.strip_prefix("ended ")) {
            *ends.entry(end).or_default() += 1;
        }
        let requests = REQUESTS * TOTAL;
        assert_eq!(
            ends,
            ENDS.map(|(end, eighths)| (end, eighths * requests / 8)).into(),
            "{mode}"
        );
        // What was committed, once, and nothing else.
        assert_eq!(
            ask(
                &database,
                "SELECT count(*), count(DISTINCT number), bool_and(due) FROM thing"
            ),
            format!("{requests}|{requests}|t"),
            "{mode}"
        );
    }
}
