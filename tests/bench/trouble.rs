//! What is wrong with one subject is one line, and the others go on.

use crate::{
    suite::{Bench, fixture, run_fixture},
    support::run,
};
use std::fs;

#[test]
fn each_trouble_is_one_line_and_the_others_go_on() {
    for isolation in ["fork", "process"] {
        let bench = run_fixture(
            "trouble",
            &[
                "--isolation",
                isolation,
                "--php-config",
                r#"{"memory_limit": "64M"}"#,
            ],
        );
        assert_eq!(bench.ran.code, 1);
        for (name, wanted) in [
            ("benchThrows", "DomainException: one line"),
            ("benchExits", "it ends PHP (exit) instead of returning"),
            ("benchPrints", "it prints, which takes time of its own: noise"),
            ("benchForks", "it forks, and lets the child return"),
            (
                "benchHangs",
                "an iteration took longer than 0.5 s: allow more with #[Timeout]",
            ),
            (
                "benchEatsMemory",
                "Allowed memory size of 67108864 bytes exhausted",
            ),
            (
                "benchKillsItself",
                "its process ended while it was measured: signal 11 (segmentation fault)",
            ),
            ("benchWithoutHook", "there is no method nowhere in TroubleBench"),
            (
                "benchUnknownExecutor",
                "executor magic: there is no such executor; there are hrtime",
            ),
            ("benchPrivate", "it is not public"),
            ("SyntaxErrorBench.php", "ParseError: syntax error"),
            ("TwiceBench.php", "Cannot declare class TwiceBench"),
            ("ExitBench.php", "its code ended PHP (exit code 7)"),
            (
                "ExitInProviderBench.php",
                "the provider sets of ExitInProviderBench: its code ended PHP (exit code 4)",
            ),
            ("benchTimesOutWhen", "Timeout takes a number of seconds"),
            ("benchRetriesWhen", "RetryThreshold takes a number of percent"),
            ("MissingParentBench.php", "Error: Class \"Nowhere\" not found"),
        ] {
            let found = bench.failure(name);
            assert!(
                found.starts_with(wanted) && !found.contains('\n'),
                "{isolation} {name}: {found}"
            );
        }
        for good in ["benchFirst", "benchForksWell", "benchClosesBuffers", "benchLast"] {
            assert_eq!(bench.samples(good).len(), 2, "{isolation} {good}");
        }
    }
}

#[test]
fn no_process_is_left_behind() {
    let bench = run_fixture(
        "trouble",
        &[
            "--filter",
            "Hangs|::benchForks",
            "--php-config",
            r#"{"phperf.mark": "leftover"}"#,
        ],
    );
    assert_eq!(bench.ran.code, 1);
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("phperf.mark=leftover")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn what_keeps_a_suite_from_running_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("broken.json"), "{").unwrap();
    fs::write(
        folder.path().join("Bootstrap.php"),
        "<?php throw new Error('no vendor');",
    )
    .unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let path = fixture("sampling").display().to_string();
    for (arguments, code, wanted) in [
        (vec!["/no/such/folder"], 1, "/no/such/folder does not exist"),
        (vec!["--working-dir", "/tmp/.."], 1, "no path to benchmarks"),
        (vec![&path, "--config", &at("broken.json")], 1, "it is no JSON"),
        (vec![&path, "--profile", "ci"], 1, "there is no profile ci"),
        (vec![&path, "--php-binary", "/no/php"], 1, "cannot start /no/php"),
        (
            vec![&path, "--php-binary", "/bin/false"],
            1,
            "PHP could not list the benchmarks",
        ),
        (
            vec![&path, "--bootstrap", &at("Bootstrap.php")],
            1,
            "failed: Error: no vendor",
        ),
        (vec![&path, "--report", "nope"], 2, "there is no report nope"),
        (vec![&path, "--output", "pdf"], 2, "there is no output pdf"),
        (vec![&path, "--progress", "nyan"], 2, "there is no progress nyan"),
        (
            vec![&path, "--php-config", "[]"],
            2,
            "--php-config has to be an object",
        ),
        (
            vec![&path, "--json", "/no/such/file"],
            1,
            "cannot write /no/such/file",
        ),
    ] {
        let ran = run(["bench", "run"].into_iter().chain(arguments.iter().copied()));
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains(wanted) && ran.stderr.trim_end().lines().count() == 1,
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn stop_on_error_and_tolerance() {
    let bench = run_fixture(
        "trouble/TroubleBench.php",
        &["--stop-on-error", "--filter", "First|Throws|Last"],
    );
    assert_eq!(bench.rows(), ["benchFirst × 2 × 2", "benchThrows × 2 × 2"]);
    let bench = run_fixture(
        "trouble/TroubleBench.php",
        &["--tolerate-failure", "--filter", "Throws"],
    );
    assert_eq!(bench.ran.code, 0);
}

#[test]
fn a_run_without_progress_says_why_it_failed_and_nothing_else() {
    let quiet = [
        "--filter",
        "First|Throws",
        "--assert",
        "mode(variant.time.avg) > 1 hour",
        "-q",
    ];
    let bench = run_fixture("trouble/TroubleBench.php", &quiet);
    assert_eq!(bench.ran.code, 1);
    let lines: Vec<_> = bench.ran.stderr.lines().collect();
    assert!(
        lines.len() == 2
            && lines[0].starts_with("phperf: TroubleBench::benchThrows failed: DomainException: one line")
            && lines[1].starts_with("phperf: benchFirst does not hold: mode(variant.time.avg) > 1 hour: "),
        "{lines:?}"
    );
}

#[test]
fn without_pcntl_it_starts_php_anew_and_says_so() {
    let path = fixture("sampling").display().to_string();
    let config = r#"{"disable_functions": "pcntl_fork"}"#;
    let bench = Bench::run([path.as_str(), "--filter", "Fresh", "--php-config", config]);
    assert_eq!(bench.ran.code, 0, "{}", bench.ran.stderr);
    assert!(
        bench.suite["notes"].to_string().contains("cannot fork"),
        "{}",
        bench.suite["notes"]
    );
    assert_eq!(bench.samples("benchFresh").len(), 2);
}
