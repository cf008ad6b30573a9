//! How samples are taken.

use crate::{
    suite::{Bench, fixture, run_fixture},
    support::{Killed, phperf},
};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

fn numbers(samples: &[Value], key: &str) -> Vec<i64> {
    samples
        .iter()
        .map(|sample| sample[key].as_i64().unwrap())
        .collect()
}

#[test]
fn every_iteration_is_fresh_in_both_kinds_of_isolation() {
    for isolation in ["fork", "process"] {
        let bench = run_fixture(
            "sampling",
            &["--filter", "Fresh|ReadsInput", "--isolation", isolation],
        );
        assert_eq!(bench.ran.code, 0, "{isolation}: {}", bench.ran.stderr);
        assert_eq!(bench.samples("benchFresh").len(), 2);
        let environment = bench.suite["environment"].to_string();
        assert!(
            environment.contains(&format!(r#"["isolation","{isolation}"]"#)),
            "{environment}"
        );
    }
}

#[test]
fn no_iteration_runs_before_the_one_before_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let suite = r"<?php
        class AloneBench
        {
            public function benchAlone()
            {
                $before = (int) @file_get_contents('before');
                if ($before && file_exists('/proc/' . $before)) {
                    throw new Exception($before . ' is still there');
                }
                file_put_contents('before', getmypid());
            }
        }";
    fs::write(folder.path().join("AloneBench.php"), suite).unwrap();
    let asked = ["AloneBench.php", "--revs", "1", "--iterations", "50"];
    let bench = Bench::run_in(folder.path(), asked);
    assert_eq!(bench.ran.code, 0, "{}", bench.failure("benchAlone"));
    assert_eq!(bench.samples("benchAlone").len(), 50);
}

#[test]
fn samples_are_whole_nanoseconds_without_the_harness() {
    let bench = run_fixture("sampling", &["--filter", "Fixed"]);
    let samples = bench.samples("benchFixed");
    assert_eq!(samples.len(), 12);
    for sample in &samples {
        let raw = sample["raw"].as_i64().unwrap();
        let overhead = sample["overhead"].as_i64().unwrap();
        assert!(0 < overhead && overhead < raw, "{sample}");
        assert_eq!(sample["revolutions"], 10);
        assert!(sample["memory"]["peak"].as_u64().unwrap() > 100_000);
    }
    assert!(bench.summary("benchFixed")["empty"].as_f64().unwrap() > 0.0);
}

/// Runs what `filter` selects of the sampling fixture by an executor whose sample is what `template`, PHP, says it is.
fn sampled_by(template: &str, filter: &str) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("phpbench.json"),
        r#"{"runner.executors": {"said": {"units": ["said.php", ["rev_loop", ["call_subject"]]]}}}"#,
    )
    .unwrap();
    let template = format!("<?php\n{{{{ children }}}}\n{template}\n");
    fs::write(folder.path().join("said.php"), template).unwrap();
    let path = fixture("sampling").display().to_string();
    Bench::run_in(folder.path(), [&path, "--filter", filter, "--executor", "said"])
}

#[test]
fn revolutions_are_found_where_none_are_named() {
    let bench = run_fixture("sampling", &["--filter", "Hash"]);
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    assert_eq!(bench.variant("benchHash")["automatic"], true);
    assert_eq!(bench.summary("benchHash")["no_op"], false);
    // How many depends on how fast the machine is just now, and not with a clock of which a call takes 250 ns.
    let bench = sampled_by("$result['sample'] = 250 * $revs;", "Hash");
    let hash = bench.variant("benchHash");
    assert_eq!(
        (&hash["automatic"], &hash["revolutions"]),
        (&true.into(), &20_000.into()),
        "{hash}"
    );
}

#[test]
fn retries_are_bounded_and_nothing_is_hidden() {
    let template = "$result['sample'] = (int) @file_get_contents('figure');\n@unlink('figure');";
    let bench = sampled_by(template, "TwoSpeeds");
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    let samples = bench.samples("benchTwoSpeeds");
    let retried = samples.iter().filter(|sample| sample["retried"] == true).count();
    assert!(
        retried > 0 && samples.len() == 12 + retried && samples.len() <= 48,
        "{retried} of {}",
        samples.len()
    );
    let slow = numbers(&samples, "raw")
        .iter()
        .filter(|&&raw| raw > 5_000_000)
        .count();
    assert!(slow > 0, "the slow ones are kept");
    let median = bench.summary("benchTwoSpeeds")["median"].as_f64().unwrap();
    assert!((1_999_999.0..2_000_001.0).contains(&median), "{median}");
}

#[test]
fn each_executor_samples() {
    for executor in ["hrtime", "remote", "hrtime_no_loop", "microtime", "cpu", "memory"] {
        let bench = run_fixture("sampling", &["--filter", "Fixed", "--executor", executor]);
        assert_eq!(bench.ran.code, 0, "{executor}: {}", bench.ran.stderr);
        let revolutions = if executor == "hrtime_no_loop" { 1 } else { 10 };
        assert!(
            bench
                .samples("benchFixed")
                .iter()
                .all(|sample| sample["revolutions"] == revolutions),
            "{executor}"
        );
    }
    let peak = |executor: &str| {
        let bench = run_fixture("sampling", &["--filter", "benchMemory", "--executor", executor]);
        bench.samples("benchMemory")[0]["memory"]["peak"]
            .as_u64()
            .unwrap()
    };
    assert!(peak("memory") > 8 << 20);
}

fn count_instructions(counter: &str) -> Bench {
    let executor = ["--executor", "instructions", "--counter", counter];
    let subject = ["--filter", "Fixed", "--revs", "100"];
    run_fixture("sampling", &[&executor[..], &subject].concat())
}

#[test]
fn instructions_repeat_to_the_last_digits() {
    let count = || {
        let bench = count_instructions("callgrind");
        assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
        let environment = bench.suite["environment"].to_string();
        assert!(
            environment.contains(r#"["instructions","callgrind"]"#),
            "{environment}"
        );
        assert!(
            bench.suite["notes"]
                .to_string()
                .contains("counted by valgrind's callgrind")
        );
        bench.summary("benchFixed")["median"].as_f64().unwrap()
    };
    let (one, other) = (count(), count());
    assert!(one > 500.0, "{one}");
    assert!((one / other - 1.0).abs() < 0.0005, "{one} {other}");
}

#[test]
fn the_cpu_counts_what_callgrind_counts_or_says_why_it_cannot() {
    let bench = count_instructions("hardware");
    if bench.ran.code == 0 {
        let hardware = bench.summary("benchFixed")["median"].as_f64().unwrap();
        let callgrind = count_instructions("callgrind");
        let callgrind = callgrind.summary("benchFixed")["median"].as_f64().unwrap();
        assert!(
            (hardware / callgrind - 1.0).abs() < 0.05,
            "{hardware} {callgrind}"
        );
    } else {
        // Most virtual machines have no such counter: in the test of `crates/bench` another one takes its place.
        let why = bench.failure("benchFixed");
        let begins = "the CPU's counter of instructions cannot be used: ";
        assert!(
            why.starts_with(begins) && why.ends_with("or take --counter callgrind"),
            "{why}"
        );
    }
}

#[test]
fn a_user_composes_an_executor_from_units_and_a_template() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("phpbench.json"),
        r#"{"runner.executors": {"mine": {"units": ["marked.php", ["hrtime_sampler", ["rev_loop", ["call_subject"]]]]}}}"#,
    )
    .unwrap();
    let marks = folder.path().join("marks");
    let template =
        format!("<?php\nfile_put_contents({marks:?}, \"in\\n\", FILE_APPEND);\n{{{{ children }}}}\n");
    fs::write(folder.path().join("marked.php"), template).unwrap();
    let path = fixture("sampling").display().to_string();
    let bench = Bench::run_in(
        folder.path(),
        [
            path.as_str(),
            "--filter",
            "Fixed",
            "--executor",
            "mine",
            "--iterations",
            "2",
        ],
    );
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    assert_eq!(bench.samples("benchFixed").len(), 2);
    assert!(fs::read_to_string(marks).unwrap().lines().count() >= 2);
}

#[test]
fn opcache_and_jit_are_in_the_state_that_was_asked_for() {
    for (state, opcache, jit) in [
        ("off", "false", "false"),
        ("on", "true", "false"),
        ("jit", "true", "true"),
    ] {
        let bench = run_fixture(
            "sampling",
            &["--filter", "Fixed", "--iterations", "1", "--opcache", state],
        );
        let environment = bench.suite["environment"].to_string();
        let wanted = format!(r#"{{"name":"opcache","values":[["enabled","{opcache}"],["jit","{jit}"]]}}"#);
        assert!(environment.contains(&wanted), "{state}: {environment}");
    }
}

#[test]
fn class_hooks_and_methods_run_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let mut settings = serde_json::json!({ "runner.path": fixture("hooks/HooksBench.php") });
    settings["runner.php_env"] = serde_json::json!({ "HOOKS_FILE": file });
    fs::write(folder.path().join("phpbench.json"), settings.to_string()).unwrap();
    let bench = Bench::run_in(folder.path(), [] as [&str; 0]);
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "before\ncall\nafter\nbefore\ncall\nafter\nremoved\n"
    );
    let bench = run_fixture("hooks/BadHooksBench.php", &[]);
    let wanted = "its methods before the class (create) failed: RuntimeException: no database";
    assert!(
        bench.failure("BadHooksBench").starts_with(wanted),
        "{}",
        bench.failure("BadHooksBench")
    );
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("suite.json");
    let path = fixture("sampling");
    let child = phperf([
        "bench",
        "run",
        "-l",
        "plain",
        "--iterations",
        "100000",
        "--filter",
        "Fixed|Fresh|TwoSpeeds",
    ])
    .arg(path)
    .arg("--json")
    .arg(&json)
    .stderr(Stdio::piped())
    .spawn()
    .expect("phperf starts");
    let mut child = Killed(child);
    let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
    lines
        .find(|line| line.as_ref().is_ok_and(|line| line.contains("WorkBench")))
        .unwrap()
        .unwrap();
    // The first sample is taken once the warm process is there: wait until phperf has a child of its own.
    let children = format!("/proc/{0}/task/{0}/children", child.0.id());
    while fs::read_to_string(&children).unwrap().is_empty() {
        std::thread::yield_now();
    }
    let group = format!("-{}", child.0.id());
    let killed = Command::new("kill")
        .args(["-INT", group.trim_start_matches('-')])
        .status()
        .unwrap();
    assert!(killed.success());
    let code = child.0.wait().unwrap().code();
    assert_eq!(code, Some(1));
    let suite: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    assert_eq!(suite["partial"], true);
}
