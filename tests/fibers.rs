//! What `phperf dump` says of fibers, those that wait among them, and `phperf record` of those that run.

#[path = "support/core.rs"]
mod core;
mod support;

use std::fs;
use support::{Ran, Recording, phperf, run, script};

/// One that runs another one, which waits for input; two that are suspended in the same place and one in a generator of a
/// generator; one that was not started; one that ended.
const SCRIPT: &str = "<?php
function inner() { yield 1; Fiber::suspend(); }
function outer() { yield from inner(); }
function task(int $n) {
    if ($n === 0) {
        Fiber::suspend();
    }
}
$deep = new Fiber(function () { foreach (outer() as $x) { } });
$deep->start();
$ended = new Fiber('task');
$ended->start(1);
$first = new Fiber('task');
$first->start(0);
$new = new Fiber('task');
$second = new Fiber('task');
$second->start(0);
$runs = new Fiber(function () {
    $GLOBALS['leaf'] = $leaf = new Fiber(function () {
        fgets(STDIN);
    });
    file_put_contents(__DIR__ . '/ids', implode(' ', array_map('spl_object_id', [
        $GLOBALS['deep'], $GLOBALS['first'], $GLOBALS['second'], $GLOBALS['new'], $GLOBALS['runs'], $leaf,
    ])));
    echo \"ready\\n\";
    $leaf->start();
});
$runs->start();
";

/// A process that waits as [`SCRIPT`] says, what `dump` says of it, and what it says of a core of it.
#[test]
fn each_is_shown_where_it_waits_live_and_in_a_core() {
    let folder = tempfile::tempdir().unwrap();
    let target = script(folder.path(), SCRIPT);
    let pid = target.pid().to_string();
    let live = dump_once_it_reads(&pid);
    let ids = fs::read_to_string(folder.path().join("ids")).unwrap();
    let [deep, first, second, new, runs, leaf] = ids.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{ids}")
    };
    let file = folder.path().join("script.php");
    let file = file.to_str().unwrap();
    let fibers = format!(
        "  fibers {runs} and {leaf} run, in the stack above
  fiber {deep} is suspended:
    #0 Fiber::suspend
    #1 inner {file}:2
    #2 outer {file}:3
    #3 {{closure:{file}:9}} {file}:9
  fibers {first} and {second} are suspended:
    #0 Fiber::suspend
    #1 task {file}:6
  fiber {new} has not been started:
    #0 task {file}:4 (where it begins)
"
    );
    let stack = format!(
        "  #0 fgets
  #1 {{closure:{file}:19}} {file}:20
  #2 Fiber::start
  #3 {{closure:{file}:18}} {file}:26
  #4 Fiber::start
  #5 <main> {file}:28
{fibers}"
    );
    assert!(live.stdout.ends_with(&stack), "{}\n{stack}", live.stdout);
    let Some(core) = core::kept(target.pid(), folder.path()) else {
        return;
    };
    let kept: Ran = phperf(["dump", "--core"]).arg(core).output().unwrap().into();
    assert!(kept.stdout.ends_with(&stack), "{}{}", kept.stdout, kept.stderr);
}

#[test]
fn a_thousand_in_one_place_take_three_lines() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php
$fibers = [];
for ($i = 0; $i < 1000; $i++) {
    $fibers[] = $fiber = new Fiber(function () { Fiber::suspend(); });
    $fiber->start();
}
echo \"ready\\n\";
fgets(STDIN);
";
    let target = script(folder.path(), source);
    let ran = dump_once_it_reads(&target.pid().to_string());
    let lines: Vec<_> = ran.stdout.lines().collect();
    let [.., main, fibers, suspend, closure] = lines[..] else {
        panic!("{}", ran.stdout)
    };
    assert!(main.ends_with("script.php:8"), "{}", ran.stdout);
    assert!(
        fibers.starts_with("  fibers ") && fibers.ends_with(" and 990 more are suspended:"),
        "{fibers}"
    );
    assert_eq!(suspend, "    #0 Fiber::suspend");
    assert!(closure.ends_with("script.php:4"), "{closure}");
}

/// Fibers that go round while they are looked at: what is said of each is what it did at one moment.
#[test]
fn those_that_never_stand_still_are_shown_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php
function one() { Fiber::suspend(); }
function two() { one(); }
$fibers = [];
for ($i = 0; $i < 20; $i++) {
    $fibers[] = $fiber = new Fiber(function () { while (true) { two(); } });
    $fiber->start();
}
echo \"ready\\n\";
while (true) {
    foreach ($fibers as $fiber) { $fiber->resume(); }
}
";
    let target = script(folder.path(), source);
    let pid = target.pid().to_string();
    for _ in 0..20 {
        let ran = run(["dump", "-p", &pid]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let (_, fibers) = ran.stdout.split_once("  fiber").expect(&ran.stdout);
        // Each waits where all of them wait, or runs just now, in which case it may be read twice on its way.
        assert!(
            fibers.contains(" suspended:\n    #0 Fiber::suspend\n    #1 one "),
            "{}",
            ran.stdout
        );
    }
}

/// What `dump` says of a process once it waits for input.
fn dump_once_it_reads(pid: &str) -> Ran {
    loop {
        let ran = run(["dump", "-p", pid]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        if ran.stdout.contains("#0 fgets") {
            return ran;
        }
    }
}

/// PHP takes a fiber off who resumed it before it goes back there.
#[test]
fn samples_without_who_resumed_the_fiber_are_counted_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let source = "<?php function runs() { while (true) { Fiber::suspend(); } }
echo \"ready\\n\"; $fiber = new Fiber('runs'); $fiber->start(); while (true) { $fiber->resume(); }";
    let target = script(folder.path(), source);
    for asked in ["--source kernel", "--source reader", "--source kernel --native"] {
        let recording = Recording::of(&target, "folded", &format!("{asked} -l 500 -H 997"));
        let stacks = recording.stacks();
        let count = |wanted: &dyn Fn(&str) -> bool| -> u64 {
            let found = stacks.iter().filter(|(stack, _)| wanted(stack));
            found.map(|(_, count)| count).sum()
        };
        let alone = count(&|stack| !stack.starts_with("<main>"));
        assert!(alone > 0, "{stacks:?}");
        // The stack of C may be the other's already: none of it is shown.
        assert_eq!(
            count(&|stack| stack == "runs;Fiber::suspend"),
            alone,
            "{stacks:?}"
        );
        assert_eq!(recording.total("cut"), alone, "{asked}: {stacks:?}");
    }
}
