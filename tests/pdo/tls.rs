//! Connections of a pool over TLS and with a password, made while other fibers go on.

use crate::support::{postgres, run, with_pool};
use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::Path,
    process::{Command, Stdio},
};
use testbed::Postgres;

/// Who is let in over TLS only, and by a password.
const RULES: &str = "local all all trust\nhostssl all app 127.0.0.1/32 scram-sha-256\n";

fn encrypted() -> Postgres {
    let server = postgres();
    let data = server.socket().join("data");
    certify(&data);
    fs::write(data.join("pg_hba.conf"), RULES).unwrap();
    for sql in [
        "CREATE ROLE app LOGIN PASSWORD 'secret'",
        "ALTER SYSTEM SET ssl = on",
        "SELECT pg_reload_conf()",
    ] {
        server.query("postgres", sql).unwrap();
    }
    // The server reads them a moment later.
    while server.query("postgres", "SHOW ssl").unwrap() != ["on"] {
        server.query("postgres", "SELECT pg_sleep(0.01)").unwrap();
    }
    server
}

/// Puts a certificate and its key where the server looks for them.
fn certify(data: &Path) {
    let (certificate, key) = (data.join("server.crt"), data.join("server.key"));
    let output = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=127.0.0.1", "-out"])
        .arg(&certificate)
        .arg("-keyout")
        .arg(&key)
        .stdin(Stdio::null())
        .output()
        .expect("there is an openssl: scripts/setup.sh test installs it");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let owner = fs::metadata(data).unwrap();
    for file in [certificate, key] {
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        chown(&file, Some(owner.uid()), Some(owner.gid())).unwrap();
    }
}

#[test]
fn other_fibers_go_on_while_a_connection_is_encrypted_and_let_in() {
    let server = encrypted();
    let dsn = format!(
        "{};sslmode=require",
        server.dsn("postgres").replace(";user=postgres", "")
    );
    let said = run(&with_pool(), "tls.php", &[&dsn, "app", "secret"]);
    assert_eq!(
        said,
        "3 connections are encrypted\nthe others went on\na wrong password: 08006\n"
    );
}
