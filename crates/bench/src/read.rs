//! What files hold: phperf's own JSON, or `PHPBench`'s XML.

use crate::{
    model::{FORMAT, Suite},
    xml::{self, XmlError},
};
use trial::{Report, is_comparison, read_json};

/// What a file holds.
#[derive(Debug)]
pub enum InFile {
    /// Runs of suites.
    Runs(Vec<Suite>),
    /// A comparison.
    Comparison(Box<Report>),
}

/// Why a file holds nothing that is known: one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is other JSON.
    #[error("it is no run or comparison that phperf wrote with --json: {0}")]
    Json(String),
    /// Another phperf wrote it.
    #[error("it is of format {0}, which this phperf does not know: use a newer phperf")]
    Format(u32),
    /// It is no XML of `PHPBench`.
    #[error(transparent)]
    Xml(#[from] XmlError),
}

/// Reads what `--json` or `PHPBench` wrote.
pub fn read(text: &str) -> Result<InFile, ReadError> {
    if !text.trim_start().starts_with('{') {
        return Ok(InFile::Runs(xml::read(text)?));
    }
    let odd = |error: serde_json::Error| ReadError::Json(error.to_string());
    let value: serde_json::Value = serde_json::from_str(text).map_err(odd)?;
    if is_comparison(&value) {
        let report = read_json(&value).map_err(ReadError::Json)?;
        return Ok(InFile::Comparison(Box::new(report)));
    }
    let suite: Suite = serde_json::from_str(text).map_err(odd)?;
    if suite.format != FORMAT {
        return Err(ReadError::Format(suite.format));
    }
    Ok(InFile::Runs(vec![suite]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{output, testing::suite};
    use trial::{Entry, Kind, Plan, Side, Trial, write_json};

    fn runs(text: &str) -> Vec<Suite> {
        match read(text) {
            Ok(InFile::Runs(suites)) => suites,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_comparison_is_told_from_a_run() {
        let plan = Plan::new(10, 0.01).unwrap();
        let report = Report {
            a: Side::new("a"),
            b: Side::new("b"),
            metric: "wall time".into(),
            kind: Kind::Time,
            plan,
            seed: 7,
            partial: None,
            notes: vec!["noted".into()],
            entries: vec![Entry {
                name: "benchA".into(),
                outcome: Ok(Trial::new(plan, 7).finish()),
            }],
        };
        let mut text = Vec::new();
        write_json(&report, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let Ok(InFile::Comparison(again)) = read(&text) else {
            panic!("{:?}", read(&text));
        };
        assert_eq!(
            (&again.notes, &again.entries[0].name),
            (&report.notes, &report.entries[0].name)
        );
        let newer = text.replace("\"version\": 1", "\"version\": 9");
        assert!(matches!(read(&newer), Err(ReadError::Json(_))));
    }

    #[test]
    fn json_comes_back_as_it_was_and_anything_else_is_refused() {
        let mut text = Vec::new();
        output::suite(&suite(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(runs(&text), [suite()]);
        let newer = read(&text.replace("\"format\": 1", "\"format\": 7"));
        assert!(matches!(newer, Err(ReadError::Format(7))));
        assert!(matches!(read("{\"a\": 1}"), Err(ReadError::Json(_))));
        assert!(matches!(read("odd"), Err(ReadError::Xml(_))));
        let mut text = Vec::new();
        xml::write(&suite(), &mut text).unwrap();
        assert_eq!(runs(&String::from_utf8(text).unwrap()).len(), 1);
    }
}
