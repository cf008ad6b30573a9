//! php-cgi and Apache's library, built and trained as PHP-FPM is. They take a build of their own: code for a library is
//! compiled otherwise.

use crate::{Place, app, support::Ran};
use nix::unistd::Uid;
use php::Binary;
use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

#[test]
#[ignore = "make test-php-versions"]
fn all_kinds_of_servers_are_built_trained_and_proved() {
    let Some(place) = Place::get() else { return };
    if !Uid::effective().is_root() {
        eprintln!("skipped: only root can let another user serve");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Who serves has to reach the pages, and the counters.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let pages = folder.path().join("app");
    app::write(&pages);
    let prefix = folder.path().join("prefix");
    let ran: Ran = place
        .in_folder(&folder.path().join("build"))
        .arg("--against")
        .arg(Binary::cgi().unwrap().path)
        .args(["--against", "/usr/lib/apache2/modules/libphp8.2.so"])
        // Apache adds PHP's version where php.ini does not forbid it, and the settings are for the other PHP.
        .args(["--ignore-output", " PHP/[0-9.]+"])
        .args([
            "--user",
            "www-data",
            "--request",
            "/ 3",
            "--request",
            "/more.php?n=5",
        ])
        .args(["--requests", "20", "--pairs", "2", "--train-cli"])
        .arg(format!("{} 3", pages.join("job.php").display()))
        .arg("--root")
        .arg(&pages)
        .arg("--install")
        .arg(&prefix)
        .output()
        .unwrap()
        .into();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for says in [
        "trained on 61 requests and scripts, each of which was counted",
        "6 pages and 1 scripts are answered byte for byte as before",
        "2 pages, php-cgi",
        "2 pages, mod_php",
    ] {
        assert!(
            ran.stdout.contains(says),
            "no {says:?} in {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    let said = Command::new(prefix.join("bin/php-cgi8.2"))
        .arg("-v")
        .output()
        .unwrap();
    assert!(said.stdout.starts_with(b"PHP 8.2."));
    assert!(is_library(&prefix.join("lib/apache2/modules/libphp8.2.so")));
}

fn is_library(path: &Path) -> bool {
    let said = Command::new("readelf")
        .arg("--dyn-syms")
        .arg("-W")
        .arg(path)
        .output()
        .unwrap();
    String::from_utf8_lossy(&said.stdout).contains(" php_module")
}
