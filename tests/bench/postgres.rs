//! Runs that are kept in a database of `PostgreSQL`.

use crate::{
    suite::fixture,
    support::{Killed, Ran, phperf},
};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};
use testbed::{PgBouncer, Pooler, Postgres};

fn server() -> Postgres {
    let server = Postgres::start().expect("PostgreSQL starts");
    server.create_database("bench").unwrap();
    server
}

fn url(server: &Postgres) -> String {
    format!("postgres://postgres@127.0.0.1:{}/bench", server.port())
}

/// `bench` with the store, in a folder.
fn bench(folder: &Path, url: &str, arguments: &[&str]) -> Command {
    let mut command = phperf(["bench"]);
    command
        .args(arguments)
        .args(["--store-url", url])
        .current_dir(folder);
    command
}

fn ran(folder: &Path, url: &str, arguments: &[&str]) -> Ran {
    bench(folder, url, arguments).output().unwrap().into()
}

/// One subject of a suite.
fn sample(more: &[&str]) -> Vec<String> {
    let path = fixture("sampling").display().to_string();
    let fixed = ["run", &path, "--filter", "Fixed", "-q"];
    fixed.iter().chain(more).map(ToString::to_string).collect()
}

fn strs(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn runs_are_kept_listed_and_compared_with_as_in_a_file() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let (folder, url) = (folder.path(), url(&server));
    let missing = ran(folder, &url, &["log"]);
    assert!(
        missing
            .stderr
            .starts_with("phperf: there is no store postgres://127.0.0.1:"),
        "{}",
        missing.stderr
    );
    for tag in ["main", "other", "main"] {
        let kept = ran(folder, &url, &strs(&sample(&["--tag", tag])));
        assert_eq!(kept.code, 0, "{}", kept.stderr);
    }
    let log = ran(folder, &url, &["log"]).stdout;
    let ids: Vec<_> = log
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(ids, ["3", "2", "1"], "{log}");
    for (reference, id) in [("main", "3"), ("main-1", "1"), ("latest-1", "2"), ("2", "2")] {
        let shown = ran(folder, &url, &["export", reference]).stdout;
        let named = ran(folder, &url, &["export", id]).stdout;
        assert!(shown.contains("benchFixed") && shown == named, "{reference}");
    }
    assert!(
        ran(folder, &url, &["export", "nobody"])
            .stderr
            .contains("there is no run nobody in postgres://")
    );
    let compared = ran(
        folder,
        &url,
        &strs(&sample(&["--ref", "main", "--report", "benchmark_compare"])),
    );
    assert!(
        compared.stdout.contains("baseline_interval"),
        "{}",
        compared.stderr
    );
    let history = ran(folder, &url, &["log", "benchFixed"]).stdout;
    assert_eq!(history.lines().count(), 4, "{history}");
    // The settings name it as well, and nothing is kept beside the project.
    fs::write(
        folder.join("phperf.toml"),
        format!("[storage]\nurl = \"{url}\"\n"),
    )
    .unwrap();
    let of_settings: Ran = phperf(["bench", "log"])
        .current_dir(folder)
        .output()
        .unwrap()
        .into();
    assert_eq!(of_settings.stdout, log, "{}", of_settings.stderr);
    assert!(!folder.join(".phperf-bench.sqlite").exists());
}

#[test]
fn two_that_begin_a_store_at_once_both_keep_their_runs() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let url = url(&server);
    let arguments = sample(&["--store"]);
    let start = || {
        let mut command = bench(folder.path(), &url, &strs(&arguments));
        Killed(command.stdout(Stdio::null()).spawn().unwrap())
    };
    let mut writers = [start(), start(), start(), start()];
    for writer in &mut writers {
        assert!(writer.0.wait().unwrap().success());
    }
    assert_eq!(
        server
            .query("bench", "SELECT id FROM phperf_bench.run ORDER BY id")
            .unwrap(),
        ["1", "2", "3", "4"]
    );
    assert_eq!(
        server
            .query("bench", "SELECT version FROM phperf_bench.store")
            .unwrap(),
        ["1"]
    );
}

#[test]
fn a_server_that_is_gone_at_the_end_loses_no_run() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let (folder, url) = (folder.path(), url(&server));
    // The run goes on while a file is there.
    fs::write(
        folder.join("WaitBench.php"),
        "<?php class WaitBench { /** @Revs(1) @Iterations(1) */ function benchWait() {
            while (file_exists(__DIR__ . '/wait')) { usleep(1000); clearstatcache(); }
        } }",
    )
    .unwrap();
    fs::write(folder.join("wait"), "").unwrap();
    let mut command = bench(
        folder,
        &url,
        &["run", ".", "--tag", "lost", "--progress", "plain"],
    );
    let mut child = Killed(
        command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut stderr = BufReader::new(child.0.stderr.take().unwrap());
    let mut said = String::new();
    // The class begins after the store was opened.
    while !said.contains("WaitBench\n") {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    drop(server);
    fs::remove_file(folder.join("wait")).unwrap();
    std::io::Read::read_to_string(&mut stderr, &mut said).unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(1), "{said}");
    let (_, rest) = said
        .split_once("; the run is in ")
        .unwrap_or_else(|| panic!("{said}"));
    let file = rest.split_once(": `phperf bench import` keeps it").unwrap().0;
    let again = self::server();
    let imported = ran(folder, &self::url(&again), &["import", file]);
    assert_eq!(imported.stdout, "run 1: lost\n", "{}", imported.stderr);
    assert!(
        ran(folder, &self::url(&again), &["show"])
            .stdout
            .contains("benchWait")
    );
}

#[test]
fn what_cannot_be_used_is_one_line_without_secrets_and_before_anything_is_measured() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let port = server.port();
    server
        .query(
            "bench",
            "CREATE SCHEMA phperf_bench; CREATE TABLE phperf_bench.store AS SELECT 99 AS version",
        )
        .unwrap();
    let refused = [
        (
            format!("postgres://me:secret@127.0.0.1:{port}/nowhere"),
            "does not exist",
        ),
        ("postgres://me:secret@127.0.0.1:1/bench".into(), "refused"),
        (
            "postgres://me:secret@db.example.org/bench".into(),
            "speaks no TLS",
        ),
        (
            format!("postgres://me:secret@127.0.0.1:{port}/bench?sslmode=require"),
            "speaks no TLS",
        ),
        (
            "postgres://me:secret@127.0.0.1:port/bench".into(),
            "write postgres://user@host:5432/database",
        ),
        (
            format!("postgres://postgres:secret@127.0.0.1:{port}/bench"),
            "has schema 99",
        ),
    ];
    for (url, why) in refused {
        let ran = ran(folder.path(), &url, &strs(&sample(&["--store"])));
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.lines().count()),
            (1, "", 1),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains(why) && !ran.stderr.contains("secret"),
            "{url}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_pooler_may_stand_between() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let pooler = Pooler::installed().expect("PgBouncer is installed");
    let pooler = PgBouncer::start(&pooler, &server, 2, "").expect("PgBouncer starts");
    let url = pooler
        .dsn("bench")
        .replace("pgsql:host=127.0.0.1;port=", "postgres://postgres@127.0.0.1:");
    let url = url.replace(";dbname=", "/").replace(";user=postgres", "");
    for number in 1..=3 {
        let kept = ran(folder.path(), &url, &strs(&sample(&["--tag", "main"])));
        assert_eq!(kept.code, 0, "{}", kept.stderr);
        let log = ran(folder.path(), &url, &["log"]).stdout;
        assert_eq!(log.lines().count(), number + 1, "{log}");
    }
    assert_eq!(ran(folder.path(), &url, &["export", "main-1"]).code, 0);
}

#[test]
fn who_only_adds_runs_needs_few_privileges() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    assert_eq!(
        ran(folder.path(), &url(&server), &strs(&sample(&["--store"]))).code,
        0
    );
    let privileges = "CREATE ROLE ci LOGIN; GRANT USAGE ON SCHEMA phperf_bench TO ci;
        GRANT SELECT ON ALL TABLES IN SCHEMA phperf_bench TO ci; GRANT INSERT ON phperf_bench.run TO ci";
    server.query("bench", privileges).unwrap();
    let of_ci = url(&server).replace("postgres@", "ci@");
    let kept = ran(
        folder.path(),
        &of_ci,
        &strs(&sample(&["--store", "--ref", "latest"])),
    );
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    assert_eq!(
        server
            .query("bench", "SELECT count(*) FROM phperf_bench.run")
            .unwrap(),
        ["2"]
    );
}

#[test]
fn a_server_that_is_silent_is_not_waited_for_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    // Connections are taken by the kernel, and nobody answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = format!("postgres://postgres@127.0.0.1:{port}/bench?connect_timeout=1");
    let ran = ran(folder.path(), &url, &["log"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.ends_with("the server has not answered for 1 s\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn comparisons_are_kept_as_in_a_file() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let (folder, url) = (folder.path(), url(&server));
    let suite = fixture("sampling").display().to_string();
    let php = ["--php-config", "{}", "--php-config", r#"{"precision": 9}"#];
    let first = [
        "compare", &suite, "--filter", "Fixed", "--revs", "1000", "--pairs", "1", "--tag", "main",
    ];
    let compare = [&first[..], &php].concat();
    let kept = ran(folder, &url, &compare);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    let shown = ran(folder, &url, &["show", "--comparison", "main"]);
    assert_eq!((shown.code, shown.stdout), (0, kept.stdout), "{}", shown.stderr);
    let log = ran(folder, &url, &["log"]).stdout;
    assert!(
        log.contains("A {}  B {\"precision\": 9}: 1 inconclusive  main"),
        "{log}"
    );

    // A store that an earlier phperf made, and somebody who may only add runs to it.
    let before =
        "DROP TABLE phperf_bench.comparison; CREATE ROLE ci LOGIN; GRANT USAGE ON SCHEMA phperf_bench TO ci;
        GRANT SELECT ON ALL TABLES IN SCHEMA phperf_bench TO ci; GRANT INSERT ON phperf_bench.run TO ci";
    server.query("bench", before).unwrap();
    let of_ci = url.replace("postgres@", "ci@");
    let run = ran(folder, &of_ci, &strs(&sample(&["--store"])));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let refused = ran(folder, &of_ci, &compare);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("its owner alone can make it") && refused.stdout.is_empty(),
        "{}",
        refused.stderr
    );
    assert_eq!(ran(folder, &of_ci, &["log"]).code, 0);
    let again = ran(folder, &url, &compare);
    assert_eq!(again.code, 0, "{}", again.stderr);
}
