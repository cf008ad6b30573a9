//! No stack that cannot be, no line that is not executed.

#[path = "support/known.rs"]
mod known;
mod support;

use known::{Chains, Lines};
use std::sync::{Mutex, MutexGuard, PoisonError};
use support::{Recording, cli, running};

/// Held while a recording is judged: targets that wait for a CPU because of another test say little of phperf.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many periods of 1,999 Hz (10 ms) does a target wait at most for one of two CPUs that it shares with three others.
const LONGEST_WAIT: u64 = 20;

fn assert_no_impossible_stack(source: &str, targets: usize) {
    let chains = Chains::known(&cli().path);
    // More targets than CPUs: they are moved about.
    let running: Vec<_> = (0..targets).map(|_| running("chains.php")).collect();
    let mut arguments = vec![
        "-d".to_owned(),
        "4".into(),
        "-H".into(),
        "1999".into(),
        "--source".into(),
        source.into(),
    ];
    for target in &running {
        arguments.extend(["-p".into(), target.pid().to_string()]);
    }
    let recording = Recording::take("folded", &arguments);
    let stacks = recording.stacks();
    let impossible = chains.impossible(&stacks);
    println!(
        "PHP {}, {source}, {targets} targets: {} samples, {} unreadable",
        cli().version,
        recording.total("taken"),
        recording.total("unreadable")
    );
    assert!(
        impossible.is_empty(),
        "{source}: {impossible:#?}\n{}",
        recording.account
    );
    assert!(stacks.len() > 15, "{source}: {stacks:#?}");
    assert_eq!(recording.total("cut"), 0, "{source}: {}", recording.account);
    // A generator that is just being resumed is linked to nothing, and is not taken for a whole stack: one look in 10,000.
    // A target that has to wait for a CPU just there counts for as many periods as it waits: one such wait may be met.
    assert!(
        recording.total("unreadable") <= recording.total("taken") / 1000 + LONGEST_WAIT,
        "{source}: {}",
        recording.account
    );
}

#[test]
fn no_impossible_stack_from_the_kernel() {
    let _alone = alone();
    assert_no_impossible_stack("kernel", 1);
    assert_no_impossible_stack("kernel", 4);
}

#[test]
fn no_impossible_stack_from_the_reader() {
    let _alone = alone();
    assert_no_impossible_stack("reader", 1);
    assert_no_impossible_stack("reader", 4);
}

#[test]
fn leaf_lines_from_the_kernel_are_those_that_run() {
    let _alone = alone();
    let target = running("lines.php");
    let recording = Recording::of(&target, "phpspy", "-d 4 -H 999 --source kernel");
    let verdict = Lines::known(&cli().path).judge(&recording.text());
    println!("PHP {}, kernel: {verdict}", cli().version);
    let checked = verdict.checked;
    assert!(checked > 1000, "only {checked} samples");
    assert!(verdict.never.is_empty(), "of {checked}: {:?}", verdict.never);
    // A brief line runs for an instant in millions of instructions, and is also what a stale line looks like: a sample
    // there may be either. 2 to 6 of 200,000 were seen, so that three of these 4,000 are no chance.
    assert!(verdict.brief.len() <= 2, "of {checked}: {:?}", verdict.brief);
}

#[test]
fn lines_under_the_jit_are_right_or_marked() {
    if cli().version.starts_with('7') {
        eprintln!("skipped: PHP has a JIT since 8.0");
        return;
    }
    let _alone = alone();
    for source in ["kernel", "reader"] {
        let target = php::Launch::new(&cli(), php::workload("lines.php"))
            .ini(php::Ini::new().jit())
            .ready()
            .unwrap();
        let recording = Recording::of(&target, "phpspy", &format!("-d 4 -H 999 --source {source}"));
        let verdict = Lines::known(&cli().path).judge(&recording.text());
        println!("PHP {}, {source}, JIT: {verdict}", cli().version);
        assert!(verdict.marked > 500, "{source}: {} are marked", verdict.marked);
        assert!(
            verdict.never.is_empty() && verdict.brief.len() <= 2,
            "{source}: of {}: {:?} {:?}",
            verdict.checked,
            verdict.never,
            verdict.brief
        );
    }
}
