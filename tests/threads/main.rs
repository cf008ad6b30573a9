//! PHP in threads (ZTS): a program that embeds it and serves requests in several threads, and its command line.
//!
//! PHP is compiled for this once, in some minutes, and kept in the user's cache: `make test-php-versions`.

#[path = "../support/core.rs"]
mod core;
mod jit;
#[path = "../support/known.rs"]
mod known;
mod serving;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/tmux.rs"]
mod tmux;

use known::{Chains, Lines};
use php::{Binary, Launch, Sapi, workload};
use serving::{Serving, zts};
use std::collections::HashSet;
use support::{Recording, SOURCES, number, run};

fn chains() -> Chains {
    Chains::known(zts().php())
}

fn record(source: &str, pid: u32, seconds: &str) -> Recording {
    let pid = pid.to_string();
    Recording::take(
        "folded",
        ["-d", seconds, "-H", "999", "--source", source, "-p", &pid],
    )
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn each_thread_is_a_target_and_no_stack_is_impossible() {
    let chains = chains();
    for source in SOURCES {
        let server = Serving::new("chains.php").start();
        let recording = record(source, server.id(), "4");
        let stacks = recording.stacks();
        let impossible = chains.impossible(&stacks);
        println!("{source}, four threads: {} samples", recording.total("taken"));
        assert!(impossible.is_empty(), "{source}: {impossible:#?}");
        assert!(stacks.len() > 15, "{source}: {stacks:#?}");
        let targets = recording.account["targets"].as_array().unwrap();
        let busy = targets
            .iter()
            .filter(|target| number(&target["tally"], "taken") > 100)
            .inspect(|target| assert_ne!(target["tid"], target["pid"]));
        assert_eq!(busy.count(), 4, "{source}: {}", recording.account);
        assert!(
            recording.total("unreadable") * 1000 <= recording.total("taken"),
            "{source}: {}",
            recording.account
        );
    }
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn leaf_lines_of_threads_are_those_that_run() {
    let server = Serving::new("lines.php").start();
    let pid = server.id().to_string();
    let arguments = ["-d", "4", "-H", "999", "--source", "kernel", "-p", &pid];
    let verdict = Lines::known(zts().php()).judge(&Recording::take("phpspy", arguments).text());
    println!("kernel, four threads: {verdict}");
    assert!(verdict.checked > 1000, "{verdict}");
    assert!(verdict.never.is_empty(), "{:?}", verdict.never);
    assert!(verdict.brief.len() <= 2, "{:?}", verdict.brief);
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn threads_that_come_and_go_are_targets_for_as_long_as_they_are_there() {
    for source in SOURCES {
        let server = Serving::new("chains.php")
            .requests(3)
            .arguments(&["--iterations", "4000"])
            .start();
        let recording = record(source, server.id(), "4");
        let targets = recording.account["targets"].as_array().unwrap();
        let ended = targets
            .iter()
            .filter(|target| target["ended"].as_bool() == Some(true))
            .filter(|target| number(&target["tally"], "taken") > 0);
        assert!(ended.count() > 4, "{source}: {}", recording.account);
        let (missed, due) = (recording.total("missed"), recording.total("due"));
        if source == "kernel" {
            assert!(missed * 20 < due, "{source}: {}", recording.account);
            // Four threads and the first one are there at any time.
            let seen = recording.total("taken") + recording.total("idle");
            let there =
                5 * number(&recording.account, "duration_ns") / number(&recording.account, "period_ns");
            assert!(seen * 10 > there * 8, "{source}: {}", recording.account);
        }
        let text = recording.text();
        assert!(text.contains("Truth\\Gamma::finish"), "{source}: {text}");
    }
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn dump_shows_all_threads() {
    let server = Serving::new("chains.php").start();
    let pid = server.id().to_string();
    let ran = run(["dump", "-p", &pid]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let headers: HashSet<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with(&format!("{pid}/")) && line.contains("ZTS"))
        .collect();
    // The first thread has started PHP, and runs none.
    assert_eq!(headers.len(), 5, "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("<main>").count(), 4, "{}", ran.stdout);
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn a_core_has_the_stacks_of_all_threads() {
    let server = Serving::new("chains.php").start();
    let folder = tempfile::tempdir().unwrap();
    let core = core::kept(server.id(), folder.path()).unwrap();
    let chains = chains();
    let ran = run(["dump", "--core", core.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stdout.matches("no PHP code runs").count(),
        1,
        "{}",
        ran.stdout
    );
    let stacks: Vec<String> = ran
        .stdout
        .split("\n\n")
        .filter(|stack| stack.contains("<main>"))
        .map(|stack| {
            let frames = stack.lines().filter(|line| line.starts_with("  #")).rev();
            let names = frames.filter_map(|line| line.split_whitespace().nth(1));
            names.collect::<Vec<_>>().join(";")
        })
        .collect();
    assert_eq!(stacks.len(), 4, "{}", ran.stdout);
    for stack in stacks {
        assert!(chains.allow(&stack), "{stack}: {}", ran.stdout);
    }
}

#[test]
#[cfg(feature = "top")]
#[ignore = "compiles PHP: make test-php-versions"]
fn top_adds_threads_up_and_shows_each_ones_stack() {
    let server = Serving::new("chains.php").start();
    let pid = server.id().to_string();
    let command = format!("'{}' top -p {pid}", env!("CARGO_BIN_EXE_phperf"));
    let Some(terminal) = tmux::Terminal::open(80, 100, &command) else {
        return;
    };
    terminal.press(&["Tab"]);
    let is_row = |line: &&str| line.split_whitespace().next() == Some(&pid);
    let text = terminal.until("the process", |text| text.lines().any(|line| is_row(&line)));
    assert_eq!(text.lines().filter(is_row).count(), 1, "{text}");
    terminal.press(&["Enter"]);
    let thread = format!("{pid}/");
    let stacks = |text: &str| -> Vec<usize> {
        let parts = text.split(thread.as_str()).skip(1);
        parts.map(|stack| stack.matches("#0 ").count()).collect()
    };
    // The first thread has started PHP, and runs none; the others none between two requests.
    terminal.until("the stacks of all threads", |text| {
        let all_run = {
            let stacks = stacks(text);
            stacks.len() == 5 && stacks.iter().sum::<usize>() == 4
        };
        if !all_run {
            terminal.press(&["r"]);
        }
        all_run
    });
    terminal.press(&["q"]);
    assert_eq!(terminal.end(), 0);
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn the_command_line_with_threads_is_like_any_other() {
    let chains = chains();
    let binary = Binary::describe(zts().php(), Sapi::Cli).unwrap();
    for source in SOURCES {
        let script = Launch::new(&binary, workload("chains.php")).ready().unwrap();
        let recording = Recording::of(&script, "folded", &format!("-d 2 -H 999 --source {source}"));
        let stacks = recording.stacks();
        let impossible = chains.impossible(&stacks);
        assert!(impossible.is_empty(), "{source}: {impossible:#?}");
        assert!(stacks.len() > 15, "{source}: {stacks:#?}");
    }
}

#[test]
#[ignore = "compiles PHP: make test-php-versions"]
fn a_command_with_threads_is_recorded_from_its_start() {
    for source in SOURCES {
        let arguments = ["-H", "999", "--source", source, "--"].map(str::to_owned);
        let command = [zts().php(), &workload("chains.php")].map(|path| path.display().to_string());
        let rest = ["--seconds", "2"].map(str::to_owned);
        let recording = Recording::take("folded", arguments.iter().chain(&command).chain(&rest));
        assert_eq!(recording.ran.code, 0, "{}", recording.ran.stderr);
        assert!(recording.total("taken") > 500, "{source}: {}", recording.account);
    }
}
