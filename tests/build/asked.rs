//! What is asked for wrongly, or cannot be had, is told in one line.

use crate::support::{Ran, assert_says, phperf};
use nix::unistd::Uid;
use php::Binary;
use std::{fs, io, path::Path, process::Command};

fn run(arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    phperf(["build", "-o"])
        .arg(folder.path().join("build"))
        .arg("--like")
        .arg(Binary::cli().unwrap().path)
        .args(arguments)
        .output()
        .unwrap()
        .into()
}

/// As behind `2>&1 | head`, on a full disk, and with nothing there at all.
#[test]
fn what_nobody_reads_any_more_is_no_reason_to_panic() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let (reader, unread) = io::pipe().unwrap();
    drop(reader);
    let mut closed = Command::new("sh");
    closed
        .args(["-c", "exec \"$0\" \"$@\" 2>&-"])
        .arg(env!("CARGO_BIN_EXE_phperf"));
    let mut ways = [phperf([""; 0]), phperf([""; 0]), closed];
    ways[0].stderr(full);
    ways[1].stderr(unread);
    for way in &mut ways {
        let folder = tempfile::tempdir().unwrap();
        let ran = way
            .args(["build", "--yes", "--train-cli", "a.php", "--source", "/", "-o"])
            .arg(folder.path().join("build"))
            .arg("--against")
            .arg(Binary::cli().unwrap().path)
            .status()
            .unwrap();
        // There are no sources, and that is all that is wrong.
        assert_eq!(ran.code(), Some(1), "{ran}");
    }
}

#[test]
fn a_training_is_asked_for_and_allowed() {
    assert_says(&run(&["--yes"]), 2, &["nothing to train on", "--train-cli"]);
    assert_says(&run(&[]), 2, &["nothing to train on", "--train-cli"]);
    assert_says(
        &run(&["--train-cli", "a.php"]),
        2,
        &["runs your own application", "`a.php` as you", "--yes"],
    );
    assert_says(
        &run(&["--root", "/nowhere", "--request", "/"]),
        1,
        &["there is no folder /nowhere"],
    );
    assert_says(
        &run(&["--root", "/usr", "--request", "/nowhere.css"]),
        2,
        &["/nowhere.css is no page of PHP"],
    );
    assert_says(&run(&["--root", "/usr"]), 2, &["there are no pages to train on"]);
}

#[test]
fn root_names_the_user_of_the_application() {
    if !Uid::effective().is_root() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("index.php"), "").unwrap();
    let root = root.path().to_str().unwrap();
    assert_says(&run(&["--root", root, "--request", "/"]), 2, &["--user www-data"]);
}

#[test]
fn what_is_not_there_is_named_with_its_package() {
    let folder = tempfile::tempdir().unwrap();
    let ran: Ran = phperf([
        "build",
        "--yes",
        "--train-cli",
        "a.php",
        "--source",
        "/",
        "--against",
    ])
    .arg(Binary::cli().unwrap().path)
    .current_dir(folder.path())
    .output()
    .unwrap()
    .into();
    assert_says(&ran, 1, &["no sources: / holds no PHP"]);

    let mut build = of_an_empty_tree(folder.path());
    build.env("PATH", "/nowhere").env_remove("CC");
    assert_says(
        &build.output().unwrap().into(),
        1,
        &["there is no gcc, make: run apt-get install gcc make, then try again"],
    );
}

/// `phperf build` of a tree that looks like PHP, so that what is missed is the compiler.
fn of_an_empty_tree(folder: &Path) -> Command {
    let tree = folder.join("tree");
    fs::create_dir_all(tree.join("main")).unwrap();
    for file in ["main/php_version.h", "configure"] {
        fs::write(tree.join(file), "").unwrap();
    }
    let mut command = phperf(["build", "--yes", "--train-cli", "a.php", "-o"]);
    command
        .arg(folder.join("build"))
        .arg("--source")
        .arg(tree)
        .arg("--against")
        .arg(Binary::cli().unwrap().path);
    command
}

/// Before anything is compiled.
#[test]
fn what_a_level_needs_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let asked = |arguments: &[&str]| -> Ran {
        of_an_empty_tree(folder.path())
            .args(arguments)
            .env("LLVM_BOLT", "/nowhere/llvm-bolt")
            .output()
            .unwrap()
            .into()
    };
    assert_says(
        &asked(&["--bolt"]),
        1,
        &["there is no llvm-bolt: install bolt-21", "LLVM_BOLT="],
    );
    assert_says(
        &asked(&["--cc", "clang-of-tomorrow"]),
        1,
        &["there is no clang-of-tomorrow: run apt-get install clang-of-tomorrow, then try again"],
    );
    assert_says(&asked(&["--cc", "make"]), 2, &["make is neither GCC nor Clang"]);
    assert!(!folder.path().join("build").exists());
    for together in [
        ["--bolt", "--huge"],
        ["--level=auto", "--lto"],
        ["--level=auto", "--no-measure"],
    ] {
        let refused = asked(&together);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("cannot be used with"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn a_full_disk_is_told() {
    if !Uid::effective().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let archive = folder.path().join("php.tar");
    let big = folder.path().join("php-8/main");
    fs::create_dir_all(&big).unwrap();
    fs::write(big.join("php_version.h"), vec![b' '; 8 << 20]).unwrap();
    let packed = Command::new("tar")
        .arg("-cf")
        .arg(&archive)
        .arg("-C")
        .arg(folder.path())
        .arg("php-8")
        .status();
    assert!(packed.unwrap().success());
    let ran: Ran = Command::new("unshare")
        .args([
            "-m",
            "sh",
            "-c",
            "mount -t tmpfs -o size=2m none \"$0\" && exec \"$@\"",
        ])
        .arg(&disk)
        .arg(env!("CARGO_BIN_EXE_phperf"))
        .args(["build", "--quiet", "--yes", "--train-cli", "a.php", "--source"])
        .arg(&archive)
        .arg("--against")
        .arg(Binary::cli().unwrap().path)
        .arg("-o")
        .arg(disk.join("build"))
        .output()
        .unwrap()
        .into();
    assert_says(&ran, 1, &["the disk of", "is full: make room"]);
}
