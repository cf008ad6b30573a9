//! Two addresses of a web server.

use crate::{
    compare,
    support::{Killed, Ran, number, phperf},
};
use php::workload;
#[cfg(feature = "tls")]
use std::{fs, path::Path};
use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

#[test]
fn two_addresses_over_connections_that_are_kept() {
    let Some(server) = Server::start(&[]) else { return };
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
fn no_proxy_stands_between_and_no_password_is_told() {
    let Some(server) = Server::start(&[]) else { return };
    let address = format!("http://me:secret@127.0.0.1:{}/fast", server.port);
    let ran: Ran = phperf(["compare", "--pairs", "2", "--json", "-", &address, &address])
        // Nobody answers there.
        .env("http_proxy", "http://127.0.0.1:9")
        .env("ALL_PROXY", "http://127.0.0.1:9")
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .output()
        .unwrap()
        .into();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("http://me@127.0.0.1"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("secret"), "{}", ran.stdout);
}

#[test]
fn an_answer_that_is_an_error_is_no_answer() {
    let Some(server) = Server::start(&[]) else { return };
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

/// A certificate for this machine by an authority of the test's own: the key, the certificate, and that of the authority.
#[cfg(feature = "tls")]
fn identity(folder: &Path) -> [PathBuf; 3] {
    let openssl = |arguments: &str| {
        let mut command = Command::new("openssl");
        let output = command.args(arguments.split(' ')).current_dir(folder).output();
        let output = output.expect("there is an openssl: scripts/setup.sh test installs it");
        assert!(output.status.success(), "{output:?}");
    };
    let new = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!(
        "{new} -x509 -days 2 -subj /CN=Test -keyout authority.key -out authority.pem"
    ));
    openssl(&format!("{new} -subj /CN=here -keyout here.key -out here.csr"));
    fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    openssl(
        "x509 -req -days 2 -in here.csr -CA authority.pem -CAkey authority.key -CAcreateserial -extfile names -out here.pem",
    );
    ["here.key", "here.pem", "authority.pem"].map(|name| folder.join(name))
}

#[test]
#[cfg(feature = "tls")]
fn an_address_with_tls_is_one_whose_certificate_the_machine_trusts() {
    let folder = tempfile::tempdir().unwrap();
    let [key, certificate, authority] = identity(folder.path());
    let Some(server) = Server::start(&[key, certificate]) else {
        return;
    };
    let url = format!("https://127.0.0.1:{}/fast", server.port);
    let arguments = ["compare", "--pairs", "12", "--requests", "5", &url, &url];
    let ran: Ran = phperf(arguments).output().unwrap().into();
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("does not answer") && ran.stderr.contains("certificate"),
        "{}",
        ran.stderr
    );
    let trusting = phperf(arguments).env("SSL_CERT_FILE", authority).output();
    let ran: Ran = trusting.unwrap().into();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // Two clients, one connection each, and none of who did not trust it.
    assert_eq!(server.stop(), "connections 2, requests 140, named 0");
}

/// A web server, by node.
struct Server {
    child: Killed,
    out: BufReader<std::process::ChildStdout>,
    port: u16,
}

impl Server {
    /// With the key and the certificate, if it is to speak TLS.
    fn start(identity: &[PathBuf]) -> Option<Self> {
        let script = workload("http/keep-alive.mjs");
        let child = Command::new("node")
            .arg(script)
            .args(identity)
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
