use super::*;
use crate::discover::{PlannedClass, PlannedSubject};
use std::fs;

fn settings(json: &str) -> (tempfile::TempDir, Settings) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("phpbench.json"), json).unwrap();
    let settings = Settings::load(folder.path(), None, None, Vec::new()).unwrap();
    (folder, settings)
}

fn choice(name: &str) -> ExecutorChoice {
    ExecutorChoice {
        name: name.into(),
        config: Value::Null,
    }
}

fn functions(executor: &Executor, parameters: &str) -> String {
    let class = PlannedClass {
        name: "A\\HashBench".into(),
        file: "/it's/HashBench.php".into(),
        before: Vec::new(),
        after: Vec::new(),
        subjects: Vec::new(),
        failure: None,
    };
    let subject = PlannedSubject {
        name: "benchMd5".into(),
        groups: Vec::new(),
        before_methods: vec!["setUp".into(), "fill".into()],
        after_methods: vec!["tearDown".into()],
        skip: false,
        sampling: crate::settings::Sampling::default(),
        sets: Vec::new(),
        error: None,
    };
    let script = Code {
        executor,
        bootstrap: None,
        class: &class,
        subject: &subject,
        parameters,
    }
    .script();
    assert!(script.contains(r"require_once '/it\'s/HashBench.php';"));
    assert!(!script.contains("{{"), "{script}");
    script[script.find("function phperf_clock").unwrap()..script.find("final class").unwrap()].to_owned()
}

#[test]
fn the_default_is_a_loop_between_two_readings() {
    let (_folder, settings) = settings("{}");
    let executor = Executor::new(&choice("remote"), &settings).unwrap();
    assert_eq!(executor.name, "hrtime");
    assert!(executor.loops());
    insta::assert_snapshot!(functions(&executor, "00"));
}

#[test]
fn without_a_loop_there_is_one_call() {
    let (_folder, settings) = settings("{}");
    let executor = Executor::new(&choice("hrtime_no_loop"), &settings).unwrap();
    assert!(!executor.loops());
    assert!(!functions(&executor, "").contains("$rev <"));
}

#[test]
fn a_user_composes_their_own() {
    let (folder, settings) = settings(
        r#"{"runner.executors": {"mine": {"units": ["before_methods", "hrtime_sampler", ["rev_loop", ["reset.php", "call_subject"]]]}}}"#,
    );
    fs::write(folder.path().join("reset.php"), "<?php\n\\apcu_clear_cache();\n").unwrap();
    let executor = Executor::new(&choice("mine"), &settings).unwrap();
    assert_eq!(executor.name, "mine");
    insta::assert_snapshot!(functions(&executor, ""));
}

#[test]
fn what_makes_no_sense_is_named() {
    for (units, wanted) in [
        (r#"["hrtime_sampler"]"#, "contain call_subject once"),
        (r#"["call_subject", "call_subject"]"#, "do 2 times"),
        (r#"["jump"]"#, "there is no unit jump"),
        (r#"[["call_subject"]]"#, "has to follow the unit"),
        (r#"["warmup", ["call_subject"]]"#, "has no room"),
        (r#"["gone.php"]"#, "cannot be read"),
        ("[1]", "neither the name"),
        (r#""call_subject""#, "have to be a list"),
    ] {
        let (_folder, settings) = settings(&format!(
            r#"{{"runner.executors": {{"mine": {{"units": {units}}}}}}}"#
        ));
        let error = Executor::new(&choice("mine"), &settings).unwrap_err().to_string();
        assert!(
            error.starts_with("executor mine: ") && error.contains(wanted),
            "{units}: {error}"
        );
    }
    let (_folder, settings) = settings("{}");
    let error = Executor::new(&choice("debug"), &settings)
        .unwrap_err()
        .to_string();
    assert!(error.contains("there are hrtime, hrtime_no_loop"), "{error}");
}
