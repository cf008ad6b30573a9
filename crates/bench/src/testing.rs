//! A suite to report in tests.

use crate::model::{
    Class, Display, Environment, EnvironmentGroup, FORMAT, Failure, Measurement, Memory, Metric, Outcome,
    Sample, Subject, Suite, Variant,
};
use serde_json::json;

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
        baseline: None,
    }
}

/// A suite with two variants, one of which failed.
pub fn suite() -> Suite {
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
    let mut short = variant("short", Outcome::Failed(Failure::new("")));
    short.baseline = Some(crate::statistics::summary(&samples[..1], Metric::Time));
    short.outcome = Outcome::Measured(Box::new(Measurement { samples, summary }));
    let subject = Subject {
        name: "benchMd5".into(),
        groups: vec!["hash".into()],
        executor: "hrtime".into(),
        metric: Metric::Time,
        display: Display::default(),
        variants: vec![
            short,
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
