//! `phperf trace`, and phperf under the name of phpspy: stacks as they come, for scripts that were written for phpspy.

mod support;

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    path::PathBuf,
    process::{Command, Stdio},
    time::{SystemTime, UNIX_EPOCH},
};
use support::{Killed, Ran, assert_says, cli, lines_aside, phperf, run, running, script};
use tempfile::TempDir;

/// A folder with a link to phperf.
struct Phpspy {
    folder: TempDir,
}

impl Phpspy {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        symlink(env!("CARGO_BIN_EXE_phperf"), folder.path().join("phpspy")).unwrap();
        Self { folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.folder.path().join("phpspy"));
        command
            .args(arguments)
            .stdin(Stdio::null())
            .current_dir(self.folder.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// The traces of a text: of each, its parts.
fn traces(text: &str) -> Vec<Vec<&str>> {
    let traces = text.split("\n\n").filter(|trace| !trace.is_empty());
    traces.map(|trace| trace.lines().collect()).collect()
}

#[test]
fn a_trace_is_printed_as_it_comes() {
    let target = running("framework.php");
    let pid = target.pid().to_string();
    let child = phperf(["trace", "-p", &pid, "-1", "-H", "99"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut trace = Killed(child);
    // It has no end, and yet there are lines.
    let lines = BufReader::new(trace.0.stdout.take().unwrap()).lines();
    let lines: Vec<String> = lines.take(20).map(Result::unwrap).collect();
    for line in &lines {
        let parts: Vec<&str> = line.split('\t').collect();
        assert!(parts[0].starts_with("0 "), "{line}");
        assert!(parts.iter().any(|part| part.contains(" <main> ")), "{line}");
        assert!(parts.contains(&format!("# pid = {pid}").as_str()), "{line}");
    }
    let ran = run([
        "trace",
        "-p",
        &pid,
        "-l",
        "50",
        "-H",
        "999",
        "--function",
        "^json_encode$",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        traces(&ran.stdout)
            .iter()
            .all(|trace| trace.iter().any(|part| part.contains(" json_encode ")))
    );
    assert!(ran.stderr.contains("50 samples of"), "{}", ran.stderr);
}

#[test]
fn a_file_is_kept_until_there_is_something_new() {
    let phpspy = Phpspy::new();
    let old = phpspy.file("old.phpspy");
    fs::write(&old, "what was there\n").unwrap();
    let (old, new) = (old.to_str().unwrap(), phpspy.file("new.phpspy"));
    let nobody = ["-p", "4194303", "-o", old];
    assert_says(&run([&["trace"][..], &nobody].concat()), 1, &["4194303"]);
    assert_says(&run([&["record"][..], &nobody].concat()), 1, &["4194303"]);
    assert_eq!(phpspy.run(&nobody).code, 1);
    assert_eq!(fs::read_to_string(old).unwrap(), "what was there\n");
    assert_eq!(
        run(["trace", "-p", "4194303", "-o", new.to_str().unwrap()]).code,
        1
    );
    assert!(!new.exists());

    let target = running("synthetic.php");
    let pid = target.pid().to_string();
    let ran = run(["trace", "-p", &pid, "-l", "5", "-H", "999", "-o", old]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = fs::read_to_string(old).unwrap();
    assert!(text.starts_with("0 "), "{text}");
    // No sample of those that were asked for is something new, too.
    let ran = run([
        "trace",
        "-p",
        &pid,
        "-l",
        "5",
        "-H",
        "999",
        "--function",
        "^nobody$",
        "-o",
        old,
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(fs::read_to_string(old).unwrap(), "");
}

#[test]
fn text_and_fields_are_those_of_phpspy() {
    let phpspy = Phpspy::new();
    let target = running("synthetic.php");
    let pid = target.pid().to_string();
    let ran = phpspy.run(&["-H", "999", "-l", "40", "-p", &pid]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let all = traces(&ran.stdout);
    assert_eq!(all.len(), 40);
    for trace in &all {
        for (number, frame) in trace.iter().enumerate() {
            let words: Vec<&str> = frame.split(' ').collect();
            assert_eq!(
                words.len(),
                3,
                "number, name and place, and nothing else: {frame}"
            );
            assert_eq!(words[0], number.to_string());
            let (file, line) = words[2].rsplit_once(':').unwrap();
            assert!(
                file == "<internal>" && line == "-1" || line.parse::<u32>().unwrap() > 0,
                "{frame}"
            );
        }
        assert!(trace.last().unwrap().contains(" <main> "), "{trace:?}");
    }
    let ran = phpspy.run(&[
        "--rate-hz=999",
        "--limit=5",
        "--single-line",
        "-d",
        "pt",
        "-n",
        "2",
        "-p",
        &pid,
        "-#",
        "why",
    ]);
    assert_eq!(ran.stdout.lines().count(), 5, "{}", ran.stdout);
    for line in ran.stdout.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        // The last one is empty: a tab stands after each.
        assert_eq!(parts.len(), 5, "{line}");
        assert!(
            parts[2].starts_with("# trace_ts = 1") && parts[3] == format!("# pid = {pid}"),
            "{line}"
        );
    }
}

#[test]
fn filters_and_limits_are_kept() {
    let phpspy = Phpspy::new();
    let target = running("framework.php");
    let pid = target.pid().to_string();
    let with = phpspy.run(&[
        "-H",
        "999",
        "-i",
        "500",
        "-f",
        "^0 json_encode ",
        "-p",
        &pid,
        "-o",
        "with.txt",
    ]);
    assert_eq!((with.code, with.stdout.as_str()), (0, ""), "{}", with.stderr);
    let text = fs::read_to_string(phpspy.file("with.txt")).unwrap();
    let with = traces(&text);
    assert!(
        !with.is_empty() && with.iter().all(|trace| trace[0].starts_with("0 json_encode ")),
        "{with:?}"
    );
    let without = phpspy.run(&["-H", "999", "-l", "300", "-F", "^0 json_encode ", "-p", &pid]);
    let without = traces(&without.stdout);
    assert!(
        !without.is_empty()
            && without
                .iter()
                .all(|trace| !trace[0].starts_with("0 json_encode "))
    );
}

#[test]
fn what_is_filtered_does_not_count() {
    let phpspy = Phpspy::new();
    let target = running("framework.php");
    let pid = target.pid().to_string();
    let ran = phpspy.run(&["-H", "999", "-l", "7", "-f", "^0 json_encode ", "-p", &pid]);
    let traces = traces(&ran.stdout);
    assert_eq!(traces.len(), 7, "{}", ran.stdout);
    assert!(traces.iter().all(|trace| trace[0].starts_with("0 json_encode ")));
}

#[test]
fn a_trace_of_what_waits_comes_when_it_is_due() {
    let phpspy = Phpspy::new();
    let source = "<?php echo \"ready\\n\"; sleep(600);";
    let target = script(phpspy.folder.path(), source);
    let pid = target.pid().to_string();
    let now = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs_f64()
    };
    let before = now();
    let ran = phpspy.run(&["-l", "5", "-d", "t", "-i", "60000", "-p", &pid]);
    let after = now();
    let times: Vec<f64> = traces(&ran.stdout)
        .iter()
        .map(|trace| {
            assert_eq!(trace[0], "0 sleep <internal>:-1");
            let time = trace.last().unwrap().strip_prefix("# trace_ts = ").unwrap();
            time.parse().unwrap()
        })
        .collect();
    assert_eq!(times.len(), 5, "{}", ran.stdout);
    assert!(
        before <= times[0] && times[4] <= after,
        "{before} {times:?} {after}"
    );
    // Each at its own tick, and not all when the wait is over.
    assert!(times.is_sorted_by(|one, next| one < next), "{times:?}");
}

/// With `PHPSPY` set to the real phpspy: both print the same of a target that stands still, whatever the options.
#[test]
fn what_it_prints_is_what_phpspy_prints() {
    let Some(theirs) = std::env::var_os("PHPSPY") else {
        eprintln!("skipped: PHPSPY is not set to a phpspy");
        return;
    };
    let phpspy = Phpspy::new();
    let source = "<?php
class Some { function method() { array_map('stand', [1]); } static function make() { (new self)->method(); } }
function stand() { echo \"ready\\n\"; sleep(600); }
Some::make();
";
    let target = script(phpspy.folder.path(), source);
    let pid = target.pid().to_string();
    let one = |options: &str| {
        let options: Vec<&str> = options.split(' ').filter(|option| !option.is_empty()).collect();
        let options = [&options[..], &["-l", "1"], &["-p", &pid][..]].concat();
        let output = Command::new(&theirs)
            .args(&options)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (Ran::from(output).stdout, phpspy.run(&options).stdout)
    };
    for options in [
        "",
        "-1",
        "-n 1",
        "-n 3",
        "-n -1",
        "-d p",
        "-d pP",
        "-1 -d p",
        "-f sleep",
        "-F nothing",
        "-f ^1",
        "-S",
        "-c",
        "-q",
        "-b 65536",
        "-J m",
        "-T 4",
        "-# why",
        "-@",
        "-rQCUP",
        "-r qcup",
        "-H 10",
        "-s 1000000",
        "--single-line",
        "--verbose-fields=p",
        "-w libphp -x 0 -a 0",
        "-j fout",
        "-i 60000",
    ] {
        let (theirs, ours) = one(options);
        // When the request began is not told.
        let is_told = |line: &&str| !line.starts_with("# ts = ");
        let theirs: String = theirs.split_inclusive('\n').filter(is_told).collect();
        assert_eq!(lines_aside(&ours), lines_aside(&theirs), "{options}");
        assert!(!ours.is_empty(), "{options}");
    }
}

#[test]
fn pgrep_finds_those_that_come_later_too() {
    let phpspy = Phpspy::new();
    let source = "<?php function spin() { while (true) { md5('x'); } } echo \"ready\\n\"; spin();";
    let marker = phpspy.folder.path().display().to_string();
    let child = phpspy
        .command(&[
            "-H",
            "99",
            "-1",
            "-d",
            "p",
            "-P",
            &format!("-f '{marker}/script.php'"),
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut trace = Killed(child);
    // Nobody is there when it starts.
    let first = script(phpspy.folder.path(), source);
    let mut lines = BufReader::new(trace.0.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let mut comes = |pid: u32| {
        let mark = format!("# pid = {pid}\t");
        assert!(lines.any(|line| line.contains(&mark) && line.contains(" spin ")));
    };
    comes(first.pid());
    let second = script(phpspy.folder.path(), source);
    comes(second.pid());
    comes(first.pid());
    assert_says(&phpspy.run(&["-P", "--no-such-option"]), 2, &["pgrep refuses"]);
}

#[test]
fn a_command_runs_with_its_output_in_files() {
    let phpspy = Phpspy::new();
    let php = cli().path.display().to_string();
    let code = "echo 'OUT'; fwrite(STDERR, 'ERR'); $end = hrtime(true) + 5e8; while (hrtime(true) < $end) { md5('x'); }";
    let ran = phpspy.run(&["-H", "499", "--", &php, "-r", code]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert!(ran.stdout.contains(" md5 <internal>:-1\n"), "{}", ran.stdout);
    let read = |ending: &str| {
        let mut files = fs::read_dir(phpspy.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let file = files.find(|path| path.extension().is_some_and(|found| found == ending));
        fs::read_to_string(file.expect(ending)).unwrap()
    };
    assert_eq!((read("out"), read("err")), ("OUT".into(), "ERR".into()));
    let ran = phpspy.run(&[
        "-H",
        "499",
        "-j",
        "callgrind",
        "-O",
        "/dev/null",
        "-E",
        "/dev/null",
        "-o",
        "c.out",
        &php,
        "-r",
        code,
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = fs::read_to_string(phpspy.file("c.out")).unwrap();
    assert!(
        text.starts_with("# callgrind format\n") && text.contains(") md5\n"),
        "{text}"
    );
}

#[test]
fn the_request_and_the_memory_stand_behind_the_frames() {
    let phpspy = Phpspy::new();
    let target = script(
        phpspy.folder.path(),
        "<?php echo \"ready\\n\", memory_get_usage(), \"\\n\"; sleep(600);",
    );
    let pid = target.pid().to_string();
    let ran = phpspy.run(&["-l", "1", "-m", "-rup", "-p", &pid]);
    let fields: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with('#')).collect();
    let path = format!("# path = {}", phpspy.folder.path().join("script.php").display());
    assert_eq!(fields[..2], ["# uri = -", &path], "{}", ran.stdout);
    let memory: Vec<u64> = fields[2]
        .strip_prefix("# mem ")
        .unwrap_or_else(|| panic!("{}", ran.stdout))
        .split(' ')
        .map(|bytes| bytes.parse().unwrap())
        .collect();
    assert!(
        matches!(memory[..], [used, peak] if used > 100_000 && used <= peak),
        "{memory:?}"
    );
    assert_eq!(fields.len(), 3, "{}", ran.stdout);
}

#[test]
fn what_it_cannot_do_it_says_in_one_line() {
    let phpspy = Phpspy::new();
    assert_says(&phpspy.run(&[]), 2, &["-p PID"]);
    assert_says(&phpspy.run(&["-p", "4194303"]), 1, &["4194303"]);
    let help = phpspy.run(&["-h"]);
    assert_eq!(help.code, 0);
    let options = "p P T s H V l i n r m o O E x a 1 b f F d c q w # @ v j J S e g t";
    for option in options.split(' ') {
        assert!(
            help.stdout.contains(&format!("-{option}")),
            "no -{option}: {}",
            help.stdout
        );
    }
    assert!(phpspy.run(&["--version"]).stdout.starts_with("phpspy "));
}
