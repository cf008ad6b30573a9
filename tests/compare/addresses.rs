//! Two addresses of a web server.

use crate::{
    compare,
    support::{Killed, number},
};
use php::workload;
use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

#[test]
fn two_addresses_over_connections_that_are_kept() {
    let Some(server) = Server::start() else { return };
    let [fast, slow] = ["/fast", "/slow"].map(|path| format!("http://127.0.0.1:{}{path}", server.port));
    let (ran, json) = compare(
        &["--pairs", "12", "--requests", "5", "--header", "X-Name: phperf"],
        &[fast.clone(), slow],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(number(&json["comparisons"][0], "pairs"), 12);
    assert_eq!(number(&json["a"]["observations"], "count"), 60);
    assert!(json["b"]["observations"]["p50"].as_f64().unwrap() > 5e6, "{json}");
    assert!(ran.stdout.contains("99.9 %"), "{}", ran.stdout);
    // Two clients, one connection each, for all their requests.
    let seen = server.stop();
    assert_eq!(seen, "connections 2, requests 140, named 140");
}

#[test]
fn an_answer_that_is_an_error_is_no_answer() {
    let Some(server) = Server::start() else { return };
    let [fine, broken] = ["/fast", "/broken"].map(|path| format!("http://127.0.0.1:{}{path}", server.port));
    let (ran, _) = compare(&[], &[fine.clone(), broken]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("B could not be measured") && ran.stderr.contains("500"),
        "{}",
        ran.stderr
    );
    let moved = format!("http://127.0.0.1:{}/moved", server.port);
    let (ran, _) = compare(&["--pairs", "2"], &[fine.clone(), moved]);
    assert_eq!(ran.code, 0, "a redirect is measured as it is: {}", ran.stderr);
    let closing = format!("http://127.0.0.1:{}/closing", server.port);
    let (ran, _) = compare(&["--pairs", "2"], &[fine, closing]);
    assert!(
        ran.stdout
            .contains("closed the connection after 40 of 40 requests"),
        "{}",
        ran.stdout
    );
}

/// A web server, by node.
struct Server {
    child: Killed,
    out: BufReader<std::process::ChildStdout>,
    port: u16,
}

impl Server {
    fn start() -> Option<Self> {
        let script = workload("http/keep-alive.mjs");
        let child = Command::new("node")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child.map(Killed) else {
            assert!(
                std::env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
                "there is no node"
            );
            eprintln!("skipped: there is no node");
            return None;
        };
        let mut out = BufReader::new(child.0.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let port = line
            .trim()
            .strip_prefix("ready ")
            .expect("it listens")
            .parse()
            .unwrap();
        Some(Self { child, out, port })
    }

    /// What it has seen.
    fn stop(mut self) -> String {
        drop(self.child.0.stdin.take());
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}
