//! What was recorded is not lost: not on a full disk, not where phperf is told to end.

mod support;

use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Lines},
    path::{Path, PathBuf},
    process::{ChildStderr, Command, Stdio},
};
use support::{Killed, Ran, assert_says, interrupt, phperf, running};

/// A file system with room for so many bytes, or none where that takes a right that we do not have.
struct Small(PathBuf);

impl Small {
    fn mount(folder: &Path, size: &str) -> Option<Self> {
        let path = folder.join("small");
        fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"])
            .arg(&path);
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Self(path));
        }
        eprintln!("not tested: mounting takes root");
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// `phperf record` of this process into this file, with a folder for what cannot be written there.
fn record(pid: u32, file: &Path, more: &str, spare: &Path) -> Command {
    let mut command = phperf(["record", "-q", "-H", "999", "-p", &pid.to_string()]);
    command
        .args(more.split(' '))
        .arg("-o")
        .arg(file)
        .env("TMPDIR", spare);
    command
}

fn ran(mut command: Command) -> Ran {
    command.output().unwrap().into()
}

#[test]
fn on_a_full_disk() {
    let target = running("framework.php");
    let folder = tempfile::tempdir().unwrap();
    let spare = folder.path().join("spare");
    fs::create_dir(&spare).unwrap();
    let Some(small) = Small::mount(folder.path(), "16k") else {
        return;
    };
    let text = small.0.join("p.phpspy");
    let as_it_comes = ran(record(target.pid(), &text, "-d 20", &spare));
    let kept = fs::read_to_string(&text).unwrap();
    // What lies there already stays as it is.
    fs::write(spare.join("p.svg"), "mine").unwrap();
    let svg = small.0.join("p.svg");
    let at_the_end = ran(record(target.pid(), &svg, "-l 100", &spare));
    // Not even one sample.
    fs::remove_file(&text).unwrap();
    fs::write(small.0.join("all"), vec![0; 32 << 10]).unwrap_err();
    let nothing = ran(record(target.pid(), &text, "-l 1000", &spare));
    let neither = ran(record(target.pid(), &svg, "-l 100", &small.0));
    let left = fs::read_dir(&small.0).unwrap().count();
    drop(small);
    assert_says(&as_it_comes, 1, &["No space left", "small/p.phpspy"]);
    assert!(kept.contains("<main>"), "nothing was kept");
    assert_says(&at_the_end, 1, &["No space left", "spare/1-p.svg"]);
    let saved = fs::read_to_string(spare.join("1-p.svg")).unwrap();
    assert!(saved.contains("</svg>") && fs::read(spare.join("p.svg")).unwrap() == b"mine");
    assert_says(
        &nothing,
        1,
        &["No space left", "not all of the profile was written"],
    );
    assert_says(&neither, 1, &["No space left", "small/p.svg", "nor"]);
    assert_eq!(left, 1, "only what fills it");
}

#[test]
fn where_standard_output_is_full() {
    let target = running("framework.php");
    let spare = tempfile::tempdir().unwrap();
    for (format, file) in [("folded", "phperf.folded"), ("pprof", "phperf.pb.gz")] {
        let more = format!("-l 100 -f {format}");
        let mut command = record(target.pid(), Path::new("-"), &more, spare.path());
        command.stdout(File::options().write(true).open("/dev/full").unwrap());
        assert_says(&ran(command), 1, &["No space left", file]);
        assert!(fs::metadata(spare.path().join(file)).unwrap().len() > 0);
    }
}

/// phperf, once it records.
fn begun(mut command: Command) -> (Killed, Lines<BufReader<ChildStderr>>) {
    let mut child = Killed(command.stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("recording")));
    (child, lines)
}

fn send(child: &Killed, signal: Signal) {
    kill_process(Pid::from_child(&child.0), signal).unwrap();
}

#[test]
fn at_each_signal_that_ends_it() {
    let target = running("framework.php");
    let folder = tempfile::tempdir().unwrap();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let file = folder.path().join(format!("{}.svg", signal.as_raw()));
        let mut command = phperf(["record", "-p", &target.pid().to_string(), "-o"]);
        command.arg(&file);
        let (mut child, _lines) = begun(command);
        send(&child, signal);
        assert!(child.0.wait().unwrap().success(), "{signal:?}");
        assert!(fs::read_to_string(&file).unwrap().contains("</svg>"));
    }
    let names = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, 3, "nothing but the profiles is left");
}

#[test]
fn a_terminal_that_goes_may_be_outlived() {
    let target = running("framework.php");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.svg");
    let mut command = Command::new("nohup");
    command
        .arg(env!("CARGO_BIN_EXE_phperf"))
        .args([
            "record",
            "-p",
            &target.pid().to_string(),
            "-l",
            "200",
            "-H",
            "199",
            "-o",
        ])
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let (mut child, mut lines) = begun(command);
    send(&child, Signal::HUP);
    let summary = lines.find_map(|line| Some(line.unwrap().split_once(" samples of ")?.0.to_owned()));
    assert!(summary.unwrap().parse::<u64>().unwrap() >= 200);
    assert!(child.0.wait().unwrap().success());
}

#[test]
fn a_command_is_told_to_end_too() {
    let folder = tempfile::tempdir().unwrap();
    let php = support::cli().path.display().to_string();
    let mut command = phperf(["record", "-f", "folded", "-o"]);
    command
        .arg(folder.path().join("p.folded"))
        .args(["--", &php, "-r", "while (true) { md5('x'); }"]);
    let (mut child, lines) = begun(command);
    send(&child, Signal::TERM);
    assert_eq!(child.0.wait().unwrap().code(), Some(128 + 15));
    drop(lines);
}

#[test]
fn twice_ends_it_at_once() {
    let folder = tempfile::tempdir().unwrap();
    // The command does not mind Ctrl-C, so phperf waits for it after the first. It ends when phperf does.
    let php = support::cli().path.display().to_string();
    let deaf = "$end = time() + 20; pcntl_async_signals(true); pcntl_signal(SIGINT, function () {}); \
        while (posix_getppid() !== 1 && time() < $end) { md5('x'); }";
    let file = folder.path().join("p.svg");
    let mut command = phperf(["record", "-o"]);
    command.arg(&file).args(["--", &php, "-r", deaf]);
    let (mut child, mut lines) = begun(command);
    interrupt(&child.0);
    assert!(
        lines.by_ref().any(|line| line.unwrap().starts_with("wrote ")),
        "the profile comes after the first"
    );
    interrupt(&child.0);
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    let last = lines.last().unwrap().unwrap();
    assert!(
        last.starts_with("phperf: interrupted twice: stopped at once; "),
        "{last}"
    );
    assert!(last.ends_with("p.svg is written"), "{last}");
    assert!(fs::read_to_string(&file).unwrap().contains("</svg>"));
}
