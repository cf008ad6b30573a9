//! php-cgi and Apache's library, built and trained as PHP-FPM is. They take a build of their own: code for a library is
//! compiled otherwise.

use crate::{archive, assert_trains, build};
use nix::unistd::Uid;
use php::Binary;
use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

#[test]
#[ignore = "make test-php-versions"]
fn all_kinds_of_servers_are_built_trained_and_proved() {
    let Some(archive) = archive() else { return };
    if !Uid::effective().is_root() {
        eprintln!("skipped: only root can let another user serve");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Who serves has to reach the pages, and the counters.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = build(&archive, &folder.path().join("build"));
    command
        .arg("--against")
        .arg(Binary::cgi().unwrap().path)
        .args(["--against", "/usr/lib/apache2/modules/libphp8.2.so"])
        // Apache adds PHP's version where php.ini does not forbid it, and the settings are for the other PHP.
        .args(["--ignore-output", " PHP/[0-9.]+", "--user", "www-data"]);
    let says = [
        "trained on 61 requests and scripts, each of which was counted",
        "6 pages and 1 scripts are answered byte for byte as before",
        "2 pages, php-cgi",
        "2 pages, mod_php",
    ];
    assert_trains(&mut command, folder.path(), &says);
    let prefix = folder.path().join("prefix");
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
