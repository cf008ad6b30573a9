use super::*;
use crate::model::{
    Class, Display, Environment, EnvironmentGroup, FORMAT, Failure, Measurement, Memory, Metric, Outcome,
    Sample, Subject, Variant,
};
use serde_json::json;
use std::fs;

fn variant(set: &str, outcome: Outcome) -> Variant {
    Variant {
        set: set.into(),
        parameters: json!({"n": 1}),
        revolutions: 100,
        automatic: false,
        warmup: 0,
        iterations: 3,
        outcome,
        assertions: Vec::new(),
    }
}

/// A suite with two variants, one of which failed.
fn suite() -> Suite {
    let samples: Vec<_> = [123_400, 125_000, 191_000]
        .iter()
        .zip(0..)
        .map(|(&raw, iteration)| Sample {
            iteration,
            revolutions: 100,
            raw,
            overhead: 1_000,
            clock: 36,
            empty: 9.6,
            memory: Some(Memory {
                peak: 512_000,
                real: 2_097_152,
                r#final: 400_000,
            }),
            retried: iteration == 2,
        })
        .collect();
    let summary = crate::statistics::summary(&samples, Metric::Time);
    let subject = Subject {
        name: "benchMd5".into(),
        groups: vec!["hash".into()],
        executor: "hrtime".into(),
        metric: Metric::Time,
        display: Display::default(),
        variants: vec![
            variant(
                "short",
                Outcome::Measured(Box::new(Measurement { samples, summary })),
            ),
            variant("<long>", Outcome::Failed(Failure::new("it prints, \"much\""))),
        ],
        failure: None,
    };
    let environment = Environment {
        groups: vec![EnvironmentGroup {
            name: "php".into(),
            values: vec![("version".into(), "8.2.29".into())],
        }],
    };
    let class = Class {
        name: "App\\HashBench".into(),
        file: "HashBench.php".into(),
        subjects: vec![subject],
        failure: None,
    };
    Suite {
        format: FORMAT,
        tag: Some("before".into()),
        started: 1_795_000_000,
        environment,
        classes: vec![class],
        notes: Vec::new(),
        partial: false,
    }
}

fn settings(json: &str) -> Settings {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("phpbench.json"), json).unwrap();
    Settings::load(folder.path(), None, None, Vec::new()).unwrap()
}

#[test]
fn every_report_on_a_console() {
    let mut text = Vec::new();
    for (name, _) in REPORTS {
        text.extend(format!("== {name}\n").bytes());
        for table in tables(name, &suite(), &settings("{}")).unwrap() {
            crate::output::console(&table, &mut text).unwrap();
        }
    }
    insta::assert_snapshot!(String::from_utf8(text).unwrap());
}

#[test]
fn a_suite_is_read_back_as_it_was_written() {
    let mut text = Vec::new();
    crate::output::suite(&suite(), &mut text).unwrap();
    assert_eq!(serde_json::from_slice::<Suite>(&text).unwrap(), suite());
}

#[test]
fn a_report_is_based_on_another() {
    let settings = settings(
        r#"{"report.generators": {"mine": {"extends": "aggregate", "cols": ["subject", "min", "rstdev"], "title": "Mine"},
            "both": {"generator": "composite", "reports": ["mine", "env"]}, "loop": {"extends": "loop"}}}"#,
    );
    let mine = &tables("mine", &suite(), &settings).unwrap()[0];
    assert_eq!(
        (mine.columns.as_slice(), mine.title.as_str()),
        (["subject", "min", "rstdev"].as_slice(), "Mine")
    );
    assert_eq!(tables("both", &suite(), &settings).unwrap().len(), 2);
    assert!(matches!(
        tables("loop", &suite(), &settings),
        Err(ReportError::Circle(_))
    ));
    let inline = tables(r#"{"generator": "table", "cols": ["its"]}"#, &suite(), &settings).unwrap();
    assert_eq!(inline[0].columns, ["its"]);
    let error = tables("nope", &suite(), &settings).unwrap_err().to_string();
    assert!(
        error.starts_with("there is no report nope; there are aggregate, default"),
        "{error}"
    );
    let error = tables(r#"{"cols": ["x"]}"#, &suite(), &settings)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("there is no column x"), "{error}");
    assert!(tables("{", &suite(), &settings).is_err());
}

#[test]
fn dates() {
    assert_eq!(overview::date(0), "1970-01-01 00:00:00Z");
    assert_eq!(overview::date(951_782_400), "2000-02-29 00:00:00Z");
}
