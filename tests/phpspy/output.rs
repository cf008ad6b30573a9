//! What is printed of a stack, when, and which.

use crate::{
    Phpspy,
    support::{Killed, assert_says, phperf, run, running, script},
    traces,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
    time::{SystemTime, UNIX_EPOCH},
};

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
        let [frames @ .., time, of_pid, ""] = &parts[..] else {
            panic!("{line}")
        };
        // The script itself may be met between two calls.
        assert!(matches!(frames.len(), 1 | 2), "{line}");
        assert!(
            time.starts_with("# trace_ts = 1") && **of_pid == format!("# pid = {pid}"),
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
