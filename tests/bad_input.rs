//! Whatever is wrong, phperf says so in one line that names the cause and the cure.

mod support;

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};
use support::{Killed, Ran, assert_says, phperf, run, running};

/// clap's own complaints take a few lines: the first is the cause.
#[track_caller]
fn assert_usage(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    for word in words {
        assert!(ran.stderr.contains(word), "no {word:?} in {:?}", ran.stderr);
    }
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
        &run([
            "record",
            "-d",
            "1",
            "-o",
            "/dev/null",
            "-f",
            "folded",
            "-p",
            &nobody(),
        ]),
        1,
        &["no process", &nobody()],
    );
    assert_says(&run(["dump", "-p", &nobody()]), 1, &["no process", &nobody()]);
}

#[test]
fn not_php() {
    let sleeper = Killed(Command::new("sleep").arg("600").spawn().unwrap());
    let pid = sleeper.0.id().to_string();
    assert_says(
        &run(["record", "-d", "1", "-o", "/dev/null", "-f", "folded", "-p", &pid]),
        1,
        &["not PHP", &pid],
    );
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
        &run([
            "record",
            "-d",
            "1",
            "-o",
            "/dev/null",
            "-f",
            "folded",
            "-P",
            "no-such-process-at-all",
        ]),
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
}

#[test]
fn a_full_disk_keeps_what_was_taken() {
    let target = running("framework.php");
    let folder = tempfile::tempdir().unwrap();
    let mounted = folder.path().join("small");
    fs::create_dir(&mounted).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=16k", "none"])
        .arg(&mounted)
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        eprintln!("not tested: mounting takes root");
        return;
    }
    let file = mounted.join("p.phpspy");
    let ran = run([
        "record",
        "-q",
        "-d",
        "20",
        "-H",
        "999",
        "-p",
        &target.pid().to_string(),
        "-o",
        &file.display().to_string(),
    ]);
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let elsewhere = {
        let svg = mounted.join("p.svg");
        run([
            "record",
            "-q",
            "-d",
            "1",
            "-H",
            "999",
            "-p",
            &target.pid().to_string(),
            "-o",
            &svg.display().to_string(),
        ])
    };
    assert!(Command::new("umount").arg(&mounted).status().unwrap().success());
    assert_says(&ran, 1, &["No space left", "p.phpspy"]);
    assert!(kept.contains("<main>"), "nothing was kept");
    assert_says(&elsewhere, 1, &["No space left", "p.svg"]);
    let saved = std::env::temp_dir().join("p.svg");
    assert!(fs::read_to_string(&saved).unwrap().contains("</svg>"));
    fs::remove_file(saved).unwrap();
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
fn without_privileges_the_reader_takes_over_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    // Whoever runs the tests may have put the binary where nobody else can look.
    let phperf = folder.path().join("phperf");
    fs::copy(env!("CARGO_BIN_EXE_phperf"), &phperf).unwrap();
    let as_nobody = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--inh-caps=-all",
    ];
    let script = folder.path().join("script.php");
    fs::write(&script, "<?php echo \"ready\\n\"; while (true) { md5('x'); }").unwrap();
    let own = php::Launch::new(&support::cli(), &script)
        .under(as_nobody)
        .ready()
        .unwrap();
    let of_root = php::Launch::new(&support::cli(), &script).ready().unwrap();

    let record = |pid: u32, more: &[&str]| -> Ran {
        let output = folder.path().join("p.folded");
        let mut command = Command::new("setpriv");
        command
            .args(&as_nobody[1..])
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
    let ran = record(own.pid(), &[]);
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

    assert_says(&record(of_root.pid(), &[]), 1, &["not permitted", "root"]);
    assert_says(
        &record(own.pid(), &["--source", "kernel"]),
        1,
        &["CAP_BPF", "root"],
    );
}

#[test]
fn ctrl_c_writes_what_was_taken_and_twice_ends_at_once() {
    let target = running("framework.php");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.svg");
    let mut command = phperf(["record", "-p", &target.pid().to_string(), "-o"]);
    let mut child = Killed(command.arg(&file).stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("recording 1 process"));
    interrupt(&child);
    assert!(child.0.wait().unwrap().success());
    assert!(fs::read_to_string(&file).unwrap().contains("</svg>"));

    // The command does not mind Ctrl-C, so phperf waits for it after the first. It ends when phperf does.
    let php = support::cli().path.display().to_string();
    let deaf = "$end = time() + 20; pcntl_async_signals(true); pcntl_signal(SIGINT, function () {}); \
        while (posix_getppid() !== 1 && time() < $end) { md5('x'); }";
    let mut command = phperf(["record", "-f", "phpspy", "-o"]);
    command
        .arg(folder.path().join("p.txt"))
        .args(["--", &php, "-r", deaf]);
    let mut child = Killed(command.stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("recording"));
    interrupt(&child);
    assert!(
        lines.by_ref().any(|line| line.unwrap().contains("own CPU")),
        "the summary comes after the first"
    );
    interrupt(&child);
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    assert!(lines.any(|line| line.unwrap().contains("interrupted twice")));
}

fn interrupt(child: &Killed) {
    let pid = child.0.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
}
