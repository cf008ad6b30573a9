//! Statement objects that are handed out again: with each driver, an application gets what it gets without.

use crate::support::{command, or_skip, postgres, with_pool};
use php::Ini;
use std::process::Output;
use testbed::MariaDb;

/// What the program prints, and how many objects were reused.
fn output(ini: &Ini, arguments: &[&str]) -> (String, u64) {
    let Output {
        status,
        stdout,
        stderr,
    } = command(ini, "reuse.php", arguments).output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{arguments:?}: {said}{errors}");
    let reused = errors
        .lines()
        .find_map(|line| line.strip_prefix("reused ")?.parse().ok())
        .unwrap_or_else(|| panic!("{errors}"));
    (said.into_owned(), reused)
}

/// Runs it as it is and with reuse, each time on an empty database.
fn same(empty: impl Fn(), arguments: &[&str]) {
    empty();
    let (stock, _) = output(&Ini::new(), arguments);
    assert!(stock.lines().count() > 300, "{stock}");
    for threshold in ["1", "2"] {
        empty();
        let ini = with_pool()
            .set("pdo_pool.reuse_statements", "1")
            .set("pdo_pool.prepare_threshold", threshold);
        let (said, reused) = output(&ini, arguments);
        let differs = stock.lines().zip(said.lines()).find(|(one, other)| one != other);
        assert_eq!(differs, None, "{arguments:?}");
        assert_eq!(said, stock);
        assert!(reused > 100, "only {reused} were reused of {arguments:?}");
    }
}

#[test]
fn sqlite() {
    same(|| (), &["sqlite::memory:"]);
}

#[test]
fn mariadb() {
    let Some(server) = or_skip(MariaDb::start()) else {
        return;
    };
    let empty = || {
        server
            .query("DROP DATABASE IF EXISTS shop; CREATE DATABASE shop")
            .map(drop)
            .unwrap();
    };
    same(empty, &[&server.dsn("shop"), "root"]);
}

#[test]
fn postgresql() {
    let server = postgres();
    server.create_database("shop").unwrap();
    let empty = || {
        server
            .query("shop", "DROP TABLE IF EXISTS item")
            .map(drop)
            .unwrap();
    };
    same(empty, &[&server.dsn("shop")]);
}
