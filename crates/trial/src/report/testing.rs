//! Reports to write in tests.

use super::{
    Entry, Kind, Report, Side, read_json, write_html, write_json, write_junit, write_markdown, write_text,
};
use crate::{Outcome, Plan, Trial, TrialError};
use fastrand::Rng;
use std::sync::LazyLock;

/// Figures of 20 ms with a little noise, B `factor` times as much.
fn outcome(factor: f64, pairs: usize, plan: Plan) -> Outcome {
    let mut trial = Trial::new(plan, 1);
    let mut rng = Rng::with_seed(pairs as u64);
    for _ in 0..pairs {
        let mut noise = || 1.0 + (rng.f64() + rng.f64() + rng.f64()) * 0.005;
        trial
            .record((20e6 * noise()).round(), (20e6 * factor * noise()).round())
            .unwrap();
    }
    trial.finish()
}

/// A report of each kind of answer.
pub fn report() -> Report {
    let plan = Plan::new(60, 0.01).unwrap();
    let entry = |name: &str, outcome: Result<Outcome, TrialError>| Entry {
        name: name.to_owned(),
        outcome,
    };
    let why = "it said <no> | \"&\"\nand exited with 3".into();
    Report {
        a: Side::new("php a.php"),
        b: Side::new("php b.php --with `ticks` & <tags>"),
        metric: "wall time".into(),
        kind: Kind::Time,
        plan,
        seed: 42,
        partial: Some("interrupted".into()),
        notes: vec!["the CPU changed its speed.".into()],
        entries: vec![
            entry("slower", Ok(outcome(1.05, 18, plan))),
            entry("slightly slower", Ok(outcome(1.01, 60, plan))),
            entry("faster", Ok(outcome(0.4, 30, plan))),
            entry("same", Ok(outcome(1.0, 45, plan))),
            entry("unclear", Ok(outcome(1.007, 11, plan))),
            entry("too few", Ok(outcome(1.0, 3, plan))),
            entry("none", Ok(outcome(1.0, 0, plan))),
            entry("failed", Err(TrialError::Measure { side: 'B', why })),
        ],
    }
}

fn written(write: impl Fn(&Report, &mut Vec<u8>) -> std::io::Result<()>, report: &Report) -> String {
    let mut out = Vec::new();
    write(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn several_comparisons() {
    let report = report();
    insta::assert_snapshot!(
        "text",
        written(|report, out| write_text(report, 100, out), &report)
    );
    insta::assert_snapshot!(
        "markdown",
        written(|report, out| write_markdown(report, out), &report)
    );
    insta::assert_snapshot!("page", {
        let page = written(|report, out| write_html(report, out), &report);
        page.split_once("<main>")
            .unwrap()
            .1
            .split_once("</main>")
            .unwrap()
            .0
            .replace("><", ">\n<")
    });
    insta::assert_snapshot!("junit", written(|report, out| write_junit(report, out), &report));
}

#[test]
fn one_comparison() {
    for index in 0..report().entries.len() {
        let mut report = report();
        report.entries = vec![report.entries.swap_remove(index)];
        let name = format!("one-{}", report.entries[0].name.replace(' ', "-"));
        insta::assert_snapshot!(name, written(|report, out| write_text(report, 80, out), &report));
    }
}

#[test]
fn what_is_read_back_says_the_same_in_every_format() {
    let report = report();
    let json = written(|report, out| write_json(report, out), &report);
    let read = |text: &str| read_json(&serde_json::from_str(text).unwrap());
    let same = read(&json).unwrap();
    for write in [write_json, write_markdown, write_html, write_junit] {
        let write = |report: &Report, out: &mut Vec<u8>| write(report, out);
        assert_eq!(written(write, &same), written(write, &report));
    }
    for (from, to, why) in [
        ("\"version\": 1", "\"version\": 2", "of this version"),
        ("\n  \"pairs\": 60", "\n  \"pairs\": 60000", "the plan"),
        ("\"unit\": \"ns\"", "\"unit\": \"furlong\"", "unit"),
        ("\"name\": \"same\"", "\"name\": 7", "a comparison"),
    ] {
        assert!(json.contains(from), "{from}");
        let error = read(&json.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains(why), "{from}: {error}");
    }
}

static JSON: LazyLock<String> = LazyLock::new(|| {
    let few = |report: &Report, out: &mut Vec<u8>| write_json(report, out);
    let mut report = report();
    report
        .entries
        .retain(|entry| ["too few", "failed"].contains(&entry.name.as_str()));
    written(few, &report)
});

proptest::proptest! {
    #[test]
    fn nothing_that_is_read_panics(cut in 0_usize..4000, with in ".{0,5}") {
        let mut json = JSON.clone();
        let at = (0..=cut.min(json.len())).rev().find(|&at| json.is_char_boundary(at)).unwrap_or(0);
        json.insert_str(at, &with);
        if let Ok(value) = serde_json::from_str(&json) {
            let _ = read_json(&value);
        }
    }
}

#[test]
fn json_has_every_figure() {
    let json: serde_json::Value =
        serde_json::from_str(&written(|report, out| write_json(report, out), &report())).unwrap();
    let slower = &json["comparisons"][0];
    assert_eq!(slower["verdict"], "slower");
    assert_eq!(slower["a"]["figures"].as_array().unwrap().len(), 18);
    assert!(slower["interval"]["low"].as_f64().unwrap() > 1.04);
    assert_eq!(json["comparisons"][6]["ratio"], serde_json::Value::Null);
    assert_eq!(json["comparisons"][7]["verdict"], "failed");
    assert_eq!(json["partial"], "interrupted");
    assert!(json["geometric_mean"]["ratio"].is_number());
}
