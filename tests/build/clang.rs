//! The same by Clang, and for one processor alone: counters, options and what is said of it are others.

use crate::{archive, assert_trains, build};
use nix::unistd::Uid;
use std::process::Command;

#[test]
#[ignore = "make test-php-versions"]
fn clang_builds_and_trains_for_this_processor() {
    let Some(archive) = archive() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut command = build(&archive, &folder.path().join("build"));
    if Uid::effective().is_root() {
        command.args(["--user", "root"]);
    }
    // Clang takes minutes for a file of ext/date that counts and is optimised.
    command.args(["--cc", "clang", "--march", "native", "--configure=CFLAGS=-O0"]);
    let says = [
        "trained on 21 requests and scripts, each of which was counted",
        "functions have counters",
        "2 pages and 1 scripts are answered byte for byte as before",
        "compiled for the processor native: on others it may not start, and is no drop-in",
    ];
    assert_trains(&mut command, folder.path(), &says);
    let said = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .arg(folder.path().join("prefix/bin/php8.2"));
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    };
    assert!(said("readelf", &["-p", ".comment"]).contains("clang version"));
    // Nothing of it counts any more.
    assert!(!said("readelf", &["-SW"]).contains("__llvm_prf_cnts"));
}
