//! Whatever is wrong, phperf says so in one line that names the cause and the cure.

mod support;

use std::{fs, process::Command};
use support::{AS_NOBODY, Killed, Ran, assert_says, record, run, running, shared_phperf};

/// clap's own complaints take a few lines: the first is the cause.
#[track_caller]
fn assert_usage(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    for word in words {
        assert!(ran.stderr.contains(word), "no {word:?} in {:?}", ran.stderr);
    }
}

/// What `record` says.
fn recorded(arguments: &str) -> Ran {
    record(arguments).output().unwrap().into()
}

/// A process id that nobody has: the largest that there can be.
fn nobody() -> String {
    let max: u32 = fs::read_to_string("/proc/sys/kernel/pid_max")
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    (max - 1).to_string()
}

#[test]
fn no_such_process() {
    assert_says(
        &recorded(&format!("-d 1 -p {}", nobody())),
        1,
        &["no process", &nobody()],
    );
    assert_says(&run(["dump", "-p", &nobody()]), 1, &["no process", &nobody()]);
}

#[test]
fn not_php() {
    let sleeper = Killed(Command::new("sleep").arg("600").spawn().unwrap());
    let pid = sleeper.0.id().to_string();
    assert_says(&recorded(&format!("-d 1 -p {pid}")), 1, &["not PHP", &pid]);
    assert_says(&run(["dump", "-p", &pid]), 1, &["not PHP"]);
}

#[test]
fn rates_that_cannot_be() {
    for rate in ["0", "10000000", "-5", "many"] {
        assert_usage(
            &run(["record", "-p", "1", &format!("--rate={rate}")]),
            &["--rate", "20000"].as_slice()[..1],
        );
    }
}

#[test]
fn nothing_to_record() {
    assert_usage(&run(["record", "-d", "1"]), &["--pid", "COMMAND"]);
    assert_says(
        &recorded("-d 1 -P no-such-process-at-all"),
        1,
        &["no running PHP process matches"],
    );
}

#[test]
fn a_command_that_is_not_there() {
    assert_says(
        &run(["record", "--", "no-such-command-at-all"]),
        2,
        &["there is no command no-such-command-at-all"],
    );
    for (command, words) in [("/etc/passwd", "`php /etc/passwd`"), ("/etc", "is a folder")] {
        assert_says(&run(["record", "--", command]), 2, &[command, words]);
    }
    assert_usage(
        &run(["record", "php", "a.php"]),
        &["`phperf record -- php script.php`"],
    );
    let ran = recorded("-- true");
    assert!(ran.stderr.contains("the command ran no PHP"), "{}", ran.stderr);
}

#[test]
fn formats_that_are_none() {
    assert_says(
        &run(["record", "-p", "1", "-o", "/tmp/x.mp3"]),
        2,
        &["cannot tell the format", "-f"],
    );
    assert_usage(
        &run(["record", "-p", "1", "-f", "mp3"]),
        &["no format is called", "svg"],
    );
}

#[test]
fn folders_that_are_missing_or_read_only() {
    let target = running("framework.php");
    let pid = target.pid().to_string();
    assert_says(
        &run(["record", "-d", "1", "-p", &pid, "-o", "/no/such/folder/p.svg"]),
        1,
        &[
            "cannot write /no/such/folder/p.svg",
            "there is no folder /no/such/folder",
        ],
    );
    // Root may write where the mode says no, but not into a folder that is none.
    assert_says(
        &run(["record", "-d", "1", "-p", &pid, "-o", "/proc/p.svg"]),
        1,
        &["cannot write /proc/p.svg", "-o"],
    );
    // Before anything is recorded.
    assert_says(
        &recorded(&format!("-p {pid} --summary-json /no/such/folder/p.json")),
        1,
        &["there is no folder /no/such/folder", "--summary-json"],
    );
    assert_says(
        &run(["record", "-p", &pid, "-o", "p.svg", "--summary-json", "p.svg"]),
        2,
        &["the same file"],
    );
}

#[test]
fn a_profile_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.svg");
    assert_says(&run(["report", &file.display().to_string()]), 1, &["p.svg"]);
    fs::write(&file, "\u{0}\u{1}\u{2} hello").unwrap();
    assert_says(&run(["report", &file.display().to_string()]), 1, &["p.svg"]);
    fs::write(&file, "<main>;f 3\n").unwrap();
    assert_says(
        &run(["report", &file.display().to_string(), "--focus", "colour=red"]),
        2,
        &["colour"],
    );
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name| folder.path().join(name).display().to_string();
    let (profile, picture) = (file("p.folded"), file("p.svg"));
    fs::write(&profile, "<main>;f 3\n").unwrap();
    assert_eq!(run(["convert", &profile, "-o", &picture]).code, 0);
    let svg = fs::read(&picture).unwrap();
    for arguments in [
        ["convert", &profile, "-o", &profile],
        ["diff", &profile, &picture, "-o"],
        ["diff", &picture, &profile, "-o"],
    ] {
        let last = (arguments[0] == "diff").then_some(&*picture);
        let ran = run(arguments.into_iter().chain(last));
        assert_says(&ran, 2, &["take the place of what is read"]);
    }
    assert_eq!(fs::read(&picture).unwrap(), svg);
}

#[test]
fn without_privileges_the_reader_takes_over_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let phperf = shared_phperf(folder.path());
    let script = folder.path().join("script.php");
    fs::write(&script, "<?php echo \"ready\\n\"; while (true) { md5('x'); }").unwrap();
    let own = php::Launch::new(&support::cli(), &script)
        .under(AS_NOBODY)
        .ready()
        .unwrap();
    let of_root = php::Launch::new(&support::cli(), &script).ready().unwrap();

    let recorded = |pid: u32, more: &[&str]| -> Ran {
        let output = folder.path().join("p.folded");
        let mut command = Command::new("setpriv");
        command
            .args(&AS_NOBODY[1..])
            .arg(&phperf)
            .args(["record", "-l", "50", "-H", "499", "-o"])
            .arg(output);
        command
            .args(["-p", &pid.to_string()])
            .args(more)
            .output()
            .unwrap()
            .into()
    };
    let ran = recorded(own.pid(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("from the reader source"), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("not the kernel source: it takes CAP_BPF and CAP_PERFMON"),
        "{}",
        ran.stderr
    );
    assert!(
        fs::read_to_string(folder.path().join("p.folded"))
            .unwrap()
            .contains("<main>;md5")
    );

    assert_says(&recorded(of_root.pid(), &[]), 1, &["not permitted", "root"]);
    assert_says(
        &recorded(own.pid(), &["--source", "kernel"]),
        1,
        &["CAP_BPF", "root"],
    );
}
