//! With real PHP. Not every machine counts instructions, so that another counter of the kernel's takes their place: all but
//! the number of the event is the same.

use super::{hardware::Hardware, *};
use crate::{
    discover,
    executor::Executor,
    launch::Launcher,
    settings::{Counting, ExecutorChoice, Settings},
};
use perf_event::events::Software;
use std::sync::atomic::AtomicBool;

/// The large piece of memory has at least 16 small pages and one of 2 MB, which may be 512 small ones, too.
const SUITE: &str = r"<?php
class FaultsBench
{
    public function setUp() { $this->much = str_repeat('x', 64 << 20); }
    public function benchLarge() { return str_repeat('x', (2 << 20) + (64 << 10)); }
    public function benchNone() { return 1; }
}
";

/// Faults of a call of `subject`, with what an empty subject costs taken off.
fn faults(subject: &str, fork: bool) -> Result<f64, Trouble> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("FaultsBench.php"), SUITE).unwrap();
    let mut settings = Settings::load(folder.path(), None, None, Vec::new()).unwrap();
    settings.php.binary = php::Binary::cli().expect("there is a php").path;
    settings.paths.push(folder.path().into());
    let (launcher, stop) = (Launcher::new(&settings), AtomicBool::new(false));
    let planned = discover::discover(&settings, &launcher, folder.path(), &stop).unwrap();
    let mut found = planned.classes[0].subjects.iter();
    let mut found = found.find(|one| one.name == subject).unwrap().clone();
    found.before_methods = vec!["setUp".into()];
    let choice = ExecutorChoice {
        name: "instructions".into(),
        ..ExecutorChoice::default()
    };
    let executor = Executor::new(&choice, &settings).unwrap();
    let bench = Bench {
        settings: &settings,
        launcher: &launcher,
        scratch: folder.path(),
        fork,
        stop: &stop,
        baseline: None,
        profiler: None,
    };
    let code = Code {
        executor: &executor,
        bootstrap: None,
        class: &planned.classes[0],
        subject: &found,
        parameters: "",
    };
    let way = Way::Hardware(Hardware::new(Software::PAGE_FAULTS.into(), 10_000));
    let mut counter = Counter::new(bench, code, Duration::from_secs(60), way);
    counter.count(10, 0).map(|sample| sample.per_revolution())
}

#[test]
fn the_kernels_counter_counts_the_loop_and_nothing_else() {
    for fork in [true, false] {
        let large = match faults("benchLarge", fork) {
            Ok(large) => large,
            Err(why) if why.to_string().contains("the kernel does not allow it") => {
                eprintln!("skipped: {why}");
                return;
            }
            Err(why) => panic!("{why}"),
        };
        assert!((16.0..600.0).contains(&large), "{large}");
        let none = faults("benchNone", fork).unwrap();
        assert!(none.abs() < 0.5, "{none}");
    }
}

#[test]
fn a_machine_without_a_counter_is_told_from_one_with() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::load(folder.path(), None, None, Vec::new()).unwrap();
    let choice = ExecutorChoice {
        name: "instructions".into(),
        ..ExecutorChoice::default()
    };
    let executor = Executor::new(&choice, &settings).unwrap();
    assert_eq!(Way::of(&executor, Counting::Callgrind).name(), "callgrind");
    match (
        Way::of(&executor, Counting::Auto),
        Way::of(&executor, Counting::Hardware),
    ) {
        (Way::Hardware(_), Way::Hardware(_)) => {}
        (Way::Callgrind(Some(why)), Way::Impossible(other)) => {
            assert_eq!(why, other);
            assert!(
                !why.contains("perf_event_open:"),
                "an error without a cure: {why}"
            );
        }
        other => panic!("{other:?}"),
    }
    let without = ExecutorChoice {
        config: serde_json::json!({ "units": ["rev_loop", ["call_subject"]] }),
        ..choice
    };
    let executor = Executor::new(&without, &settings).unwrap();
    let Way::Impossible(why) = Way::of(&executor, Counting::Hardware) else {
        panic!("nothing says where its loop begins");
    };
    assert!(why.contains("no instructions_sampler"), "{why}");
}
