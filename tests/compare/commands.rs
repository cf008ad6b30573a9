//! Commands: what is measured, and how it is told.

use crate::{
    compare, rounds, sides,
    support::{cli, number, run},
};
use serde_json::Value;
use std::fs;

#[test]
fn twice_the_work_is_slower_and_half_of_it_is_faster() {
    let (more, less) = (rounds(200_000), rounds(50_000));
    let (ran, json) = compare(
        &["--metric", "user", "--fail-on-slower", "--seed", "7"],
        &sides(&less, &more),
    );
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("B is slower: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("seed 7"), "{}", ran.stdout);
    let found = &json["comparisons"][0];
    assert_eq!(found["verdict"], "slower");
    assert!(found["interval"]["low"].as_f64().unwrap() > 1.01);
    let pairs = number(found, "pairs") as usize;
    assert_eq!(found["a"]["figures"].as_array().unwrap().len(), pairs);

    let (ran, json) = compare(&["--metric", "user", "--fail-on-slower"], &sides(&more, &less));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(json["comparisons"][0]["verdict"], "faster");
}

#[test]
fn instructions_tell_a_per_cent_apart_beside_whatever_runs() {
    // Starting PHP is 20 million instructions, a round some 1,500.
    let (ran, json) = compare(
        &[
            "--metric",
            "instructions",
            "--pairs",
            "10",
            "--warm-up",
            "0",
            "--margin",
            "0.1%",
        ],
        &sides(&rounds(1000), &rounds(1200)),
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let found = &json["comparisons"][0];
    assert_eq!(found["verdict"], "slower", "{found}");
    assert_eq!(found["beyond_margin"], true);
    assert_eq!(json["unit"], "instructions");
}

/// Some MB of memory: PHP alone may have less than phperf, which hides it.
fn filled(megabytes: u32) -> String {
    format!("$s = str_repeat('x', {megabytes}_000_000);")
}

#[test]
fn memory_is_compared_and_what_phperf_hides_is_said() {
    let (ran, json) = compare(
        &["--metric", "max-rss", "--pairs", "12"],
        &sides(&filled(20), &filled(40)),
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = &json["comparisons"][0];
    let least = |side: &str| found[side]["min"].as_f64().unwrap();
    assert!(least("b") - least("a") > 18e6, "{found}");
    let tiny = ["--", "true", "--", "true"].map(str::to_owned);
    let (ran, _) = compare(&["--metric", "max-rss", "--pairs", "1"], &tiny);
    assert!(
        ran.stdout.contains("less memory than was measured"),
        "{}",
        ran.stdout
    );
}

#[test]
fn too_few_pairs_say_nothing_and_say_so() {
    let sides = sides(&rounds(10), &rounds(100_000));
    let (ran, json) = compare(&["--pairs", "4", "--fail-on-inconclusive"], &sides);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stdout.contains("4 pairs are too few"), "{}", ran.stdout);
    assert_eq!(json["comparisons"][0]["interval"], Value::Null);
}

#[test]
fn a_time_sets_the_number_of_pairs() {
    let naps = sides("usleep(20000);", "usleep(20000);");
    let (ran, json) = compare(&["--time", "3"], &naps);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let planned = number(&json, "pairs");
    assert!((1..75).contains(&planned), "{planned}");
    // Time is what ends it, where fewer pairs fit than were asked for.
    let (_, json) = compare(&["--time", "500ms", "--pairs", "1000"], &naps);
    assert_eq!(json["comparisons"][0]["stopped"], "early");
    assert_eq!(json["partial"], Value::Null);
}

#[test]
fn lines_for_sh_and_what_is_prepared() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let log = log.display();
    let ran = run([
        "compare",
        "--pairs",
        "3",
        "--warm-up",
        "1",
        "--prepare",
        &format!("echo prepared >> {log}"),
        "--shell",
        &format!("echo a >> {log}; true | cat"),
        &format!("echo b >> {log}"),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = fs::read_to_string(folder.path().join("log")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 16, "{text}");
    assert!(lines.iter().step_by(2).all(|line| *line == "prepared"), "{text}");
    assert_eq!(lines.iter().filter(|line| **line == "a").count(), 4, "{text}");
}

#[test]
fn the_least_of_several_runs_is_a_figure() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let php = cli().path;
    let (php, log) = (php.display(), log.display());
    // Of three runs of A, the second needs 20 MB more.
    let a = format!(
        "echo x >> {log}; {php} -n -r \"str_repeat('x', $(wc -l < {log}) % 3 == 2 ? 20_000_000 : 1);\""
    );
    let b = format!("{php} -n -r ';'");
    let (ran, json) = compare(
        &[
            "--least-of",
            "3",
            "--pairs",
            "3",
            "--warm-up",
            "0",
            "--metric",
            "max-rss",
        ],
        &["--shell".to_owned(), a, b],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        fs::read_to_string(folder.path().join("log"))
            .unwrap()
            .lines()
            .count(),
        9
    );
    assert_eq!(json["metric"], "most memory (least of 3 runs)");
    let most = |side: &str| json["comparisons"][0][side]["max"].as_f64().unwrap();
    assert!((most("a") - most("b")).abs() < 1e7, "{json}");
}

#[test]
fn commands_run_on_the_cpu_that_was_asked_for() {
    let allowed = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("Cpus_allowed_list:"));
        line.unwrap().split_whitespace().last().unwrap().to_owned()
    };
    let own = allowed(&fs::read_to_string("/proc/self/status").unwrap());
    let last = own.rsplit([',', '-']).next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let line = format!("cat /proc/self/status > {}", log.display());
    let ran = run(["compare", "--pin", last, "--pairs", "1", "--shell", &line, &line]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(allowed(&fs::read_to_string(log).unwrap()), last);
}

#[test]
fn what_cannot_be_measured_is_told_with_its_side() {
    let broken = "fwrite(STDERR, \"Fatal: no database\\n\"); exit(7);";
    let (ran, json) = compare(&[], &sides("", broken));
    assert_eq!(ran.code, 1);
    let line = ran.stderr.lines().last().unwrap();
    assert!(
        line.contains("B could not be measured") && line.contains("ended with 7: Fatal: no database"),
        "{line}"
    );
    assert_eq!(json["comparisons"][0]["verdict"], "failed");
    let (ran, _) = compare(&["--ignore-failure", "--pairs", "2"], &sides("", broken));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("4 runs failed"), "{}", ran.stdout);

    for (arguments, code, why) in [
        (&["--", "true"][..], 2, "one command only"),
        (&["--", "true", "--"], 2, "a command is missing"),
        (&["--", "a", "--", "b", "--", "c"], 2, "more than two commands"),
        (
            &["--", "/no/such/program", "--", "true"],
            1,
            "/no/such/program cannot be started",
        ),
        (&["--shell", "true", "kill -9 $$"], 1, "sh was ended by signal 9"),
        (&["one", "two"], 2, "is no address"),
        // Whoever forgot --shell.
        (
            &["--together", "--metric", "cpu", "php a.php", "php b.php"],
            2,
            "lines for sh with --shell",
        ),
        (&["--together", "--", "true", "--", "true"], 2, "add --metric cpu"),
        (
            &["--together", "--metric", "cpu", "--", "true", "--", "false"],
            1,
            "B could not be measured: false ended with 1",
        ),
        (
            &["--together", "http://127.0.0.1:1/", "http://127.0.0.1:1/"],
            2,
            "leave --metric and --together away",
        ),
        (
            &["http://127.0.0.1:1/", "http://127.0.0.1:1/"],
            1,
            "does not answer",
        ),
        (
            &["--metric", "cpu", "http://127.0.0.1:1/", "http://127.0.0.1:1/"],
            2,
            "wall time of requests",
        ),
        (
            &["--pin", "4096", "--", "true", "--", "true"],
            2,
            "CPU 4096 may not be used",
        ),
        (
            &["--prepare", "exit 4", "--", "true", "--", "true"],
            1,
            "--prepare ended with 4",
        ),
        (
            &["--json", "/no/such/folder/x", "--", "true", "--", "true"],
            1,
            "cannot write /no/such/folder/x",
        ),
        (
            &["--margin", "200", "--", "true", "--", "true"],
            2,
            "per cent from 0 to 100",
        ),
    ] {
        let ran = run([&["compare"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn every_output_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (markdown, junit) = (file("a.md"), file("a.xml"));
    // What was longer before must not shine through.
    fs::write(&markdown, "x".repeat(10_000)).unwrap();
    let mut arguments: Vec<String> = ["compare", "--metric", "max-rss", "--pairs", "12", "--json", "-"]
        .into_iter()
        .chain(["--markdown", &markdown, "--junit", &junit])
        .map(str::to_owned)
        .collect();
    arguments.extend(sides("", "$s = str_repeat('x', 20_000_000);"));
    let ran = run(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(
        json["b"]["label"].as_str().unwrap().ends_with("_000);'"),
        "{json}"
    );
    let markdown = fs::read_to_string(markdown).unwrap();
    assert!(
        markdown.contains("B is slower") && !markdown.contains("xx"),
        "{markdown}"
    );
    let junit = fs::read_to_string(junit).unwrap();
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("<failure message="),
        "{junit}"
    );
}
