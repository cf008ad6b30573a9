//! Whatever is wrong is said in one line.

use crate::support::{Killed, assert_says, cli, phperf, run};
use std::{fs, os::unix::process::CommandExt, path::Path, process::Command};

fn apply(binary: &Path, copy: &Path) -> crate::support::Ran {
    run([
        "hugepages".as_ref(),
        "apply".as_ref(),
        binary.as_os_str(),
        "-o".as_ref(),
        copy.as_os_str(),
    ])
}

#[test]
fn what_is_no_php() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    let php = fs::read(cli().path).unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let mut narrow = php.clone();
    narrow[4] = 1;
    let cases = [
        (file("text", b"<?php echo 1;"), "no 64-bit ELF file"),
        (file("empty", b""), "no 64-bit ELF file"),
        (file("32bit", &narrow), "no 64-bit ELF file"),
        (file("header", &php[..64]), "program headers are cut off"),
        (file("half", &php[..php.len() / 2]), ""),
        ("/bin/sh".into(), "is not a PHP"),
        (folder.path().into(), "is not a PHP"),
        (folder.path().join("missing"), "No such file"),
    ];
    for (binary, why) in cases {
        assert_says(&apply(&binary, &copy), 1, &[why, binary.to_str().unwrap()]);
        assert_says(
            &run(["hugepages".as_ref(), "warm".as_ref(), binary.as_os_str()]),
            1,
            &[binary.to_str().unwrap()],
        );
        assert!(!copy.exists());
    }
}

#[test]
fn places_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let php = cli().path;
    assert_says(&apply(&php, Path::new("/proc/copy")), 1, &["/proc"]);
    assert_says(
        &apply(&php, &folder.path().join("no/folder/copy")),
        1,
        &["No such file"],
    );
    let copy = folder.path().join("copy");
    fs::write(&copy, "mine").unwrap();
    assert_says(&apply(&php, &copy), 1, &["is there already", "--force"]);
    assert_eq!(fs::read_to_string(&copy).unwrap(), "mine");
    assert_says(&apply(&php, &php), 1, &["is the binary itself"]);
}

#[test]
fn a_unit_that_cannot_be_written_is_said_before_the_copy_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let (copy, unit) = (folder.path().join("copy"), folder.path().join("php.service"));
    fs::write(&unit, "mine").unwrap();
    let asked = |copy: &Path, unit: &Path| {
        let mut command = phperf(["hugepages", "apply", "--unit"]);
        command.args([unit, &cli().path, Path::new("-o"), copy]);
        command.output().unwrap().into()
    };
    let ran: crate::support::Ran = asked(&copy, &unit);
    assert_says(&ran, 1, &["is left as it is"]);
    assert!(!ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&unit).unwrap(), "mine");
    // A line end would begin another setting of the unit.
    let odd = folder.path().join("a\nExecStartPre=b");
    assert_says(
        &asked(&odd, Path::new("-")),
        1,
        &["cannot stand in a systemd unit"],
    );
    assert!(!copy.exists() && !odd.exists());
}

#[test]
fn a_full_disk_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mount = |arguments: &[&str]| {
        Command::new(arguments[0])
            .args(&arguments[1..])
            .arg(folder.path())
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=2m", "phperf-test"]) {
        eprintln!("skipped: file systems cannot be mounted here");
        return;
    }
    let ran = apply(&cli().path, &folder.path().join("copy"));
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert!(mount(&["umount"]));
    assert_says(&ran, 1, &["No space left"]);
    assert_eq!(left, 0);
}

#[test]
fn processes_that_are_none_of_php_or_gone() {
    let sleeper = Killed(Command::new("sleep").arg("600").spawn().unwrap());
    let pid = sleeper.0.id().to_string();
    let asked = |pid: &str| run(["hugepages", "status", pid]);
    assert_says(&asked(&pid), 1, &["runs no PHP", &pid]);
    // The largest id that there can be.
    let most: u32 = fs::read_to_string("/proc/sys/kernel/pid_max")
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert_says(&asked(&(most - 1).to_string()), 1, &["no process"]);
    assert_eq!(asked("0").code, 2);
}

#[test]
fn a_foreign_user_is_told_so() {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if !is_root {
        eprintln!("skipped: only root has processes that others may not look into");
        return;
    }
    let script = crate::support::running("framework.php");
    let ran = phperf(["hugepages", "status", &script.pid().to_string()])
        .uid(65534)
        .gid(65534)
        .output()
        .unwrap();
    assert_says(&ran.into(), 1, &["not permitted", "run as root"]);
}
