//! Whom it traces.

use crate::{
    Phpspy, assert_fails,
    support::{Killed, cli, script},
};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
};

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
    assert_fails(&phpspy.run(&["-P", "--no-such-option"]), "pgrep refuses");
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
        "-H", "499", "-O", "-", "-E", "-", "-o", "traces", "--", &php, "-r", code,
    ]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("OUT", "ERR"));
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
