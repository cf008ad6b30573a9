use super::*;
use crate::testing::suite;
use std::fs;

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
    assert_eq!(date(0), "1970-01-01 00:00:00Z");
    assert_eq!(date(951_782_400), "2000-02-29 00:00:00Z");
}

#[test]
fn numbers_that_a_file_may_name_do_not_overflow() {
    let mut suite = suite();
    for variant in suite
        .classes
        .iter_mut()
        .flat_map(|class| &mut class.subjects[0].variants)
    {
        if let crate::model::Outcome::Measured(measurement) = &mut variant.outcome {
            for sample in &mut measurement.samples {
                sample.revolutions = u64::MAX;
            }
        }
    }
    let settings = settings("{}");
    for (name, _) in REPORTS {
        tables(name, &suite, &settings).unwrap();
    }
}
