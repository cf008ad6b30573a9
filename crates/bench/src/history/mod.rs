//! A variant over the runs that are kept.

mod comparisons;
mod json;
mod text;

pub use comparisons::{compares, write_compared, write_comparisons};
pub use json::write_json;
pub use text::write_text;

use crate::{
    environment::differences,
    model::{Subject, Suite, Summary, Variant},
    store::Run,
};
use std::{collections::HashSet, ptr};

/// A run, whether it is kept or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry<'a> {
    /// Its number in the store, where it is in one.
    pub id: Option<i64>,
    /// What was measured.
    pub suite: &'a Suite,
}

impl<'a> From<&'a Run> for Entry<'a> {
    fn from(run: &'a Run) -> Self {
        Self {
            id: Some(run.id),
            suite: &run.suite,
        }
    }
}

impl Entry<'_> {
    /// `run 3`, or that it is not kept.
    pub fn name(&self) -> String {
        self.id
            .map_or_else(|| "this run".to_owned(), |id| format!("run {id}"))
    }
}

/// A run in which the variant was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Point<'a> {
    /// The run.
    pub run: Entry<'a>,
    /// The variant's figures there.
    pub summary: &'a Summary,
    /// In what the run differs from the one before so that their figures cannot be compared, one line each.
    pub breaks: Vec<String>,
}

/// A variant, and the runs in which it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'a> {
    /// Its class.
    pub class: &'a str,
    /// Its subject, as the newest of the runs has it.
    pub subject: &'a Subject,
    /// The variant, as the newest of the runs has it.
    pub variant: &'a Variant,
    /// The runs, the oldest first.
    pub points: Vec<Point<'a>>,
}

impl Line<'_> {
    /// `Class::subject # set`.
    pub fn name(&self) -> String {
        self.variant.name(self.class, &self.subject.name)
    }
}

/// Every variant whose `Class::subject # set` contains `part`, in the order of the newest run.
pub fn lines<'a>(runs: &[Entry<'a>], part: &str) -> Vec<Line<'a>> {
    let mut newest_first = in_order(runs);
    newest_first.reverse();
    let mut seen = HashSet::new();
    let mut lines = Vec::new();
    for run in newest_first {
        for (class, subject, variant) in run.suite.variants() {
            let Some(measurement) = variant.measurement() else {
                continue;
            };
            if seen.contains(&ptr::from_ref(&measurement.summary))
                || !variant.name(&class.name, &subject.name).contains(part)
            {
                continue;
            }
            let points = history(runs, &class.name, subject, variant);
            seen.extend(points.iter().map(|point| ptr::from_ref(point.summary)));
            lines.push(Line {
                class: &class.name,
                subject,
                variant,
                points,
            });
        }
    }
    lines
}

fn in_order<'a>(runs: &[Entry<'a>]) -> Vec<Entry<'a>> {
    let mut runs = runs.to_vec();
    // What is not kept is the newest.
    runs.sort_by_key(|run| (run.suite.started, run.id.unwrap_or(i64::MAX)));
    runs
}

/// The runs in which a variant was measured, the oldest first.
pub fn history<'a>(runs: &[Entry<'a>], class: &str, subject: &Subject, variant: &Variant) -> Vec<Point<'a>> {
    let mut points: Vec<Point<'a>> = Vec::new();
    let mut before: Option<(&Suite, &Subject, &Variant)> = None;
    for run in in_order(runs) {
        let suite: &'a Suite = run.suite;
        let Some((found, one)) = suite.same(class, subject, variant) else {
            continue;
        };
        let Some(measurement) = one.measurement() else {
            continue;
        };
        let breaks = before.map_or_else(Vec::new, |(earlier, was, then)| {
            let mut breaks = differences(&earlier.environment, &suite.environment);
            if was.executor != found.executor {
                breaks.push(format!("executor was {}, is {}", was.executor, found.executor));
            }
            if then.parameters != one.parameters {
                breaks.push("the parameters of this set are others".into());
            }
            breaks
        });
        before = Some((suite, found, one));
        points.push(Point {
            run,
            summary: &measurement.summary,
            breaks,
        });
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suite;

    #[test]
    fn runs_in_their_order_with_breaks_where_the_environment_changes() {
        let (first, mut second, mut third) = (suite(), suite(), suite());
        second.started += 10;
        second.environment.groups[0].values[0].1 = "8.3.1".into();
        third.started += 20;
        third.environment = second.environment.clone();
        third.classes[0].subjects[0].executor = "microtime".into();
        let mut other = suite();
        other.classes[0].name = "Other".into();
        let runs = [
            (Some(3), &third),
            (Some(2), &other),
            (None, &second),
            (Some(1), &first),
        ];
        let runs = runs.map(|(id, suite)| Entry { id, suite });
        let class = &first.classes[0];
        let points = history(
            &runs,
            &class.name,
            &class.subjects[0],
            &class.subjects[0].variants[0],
        );
        let found: Vec<_> = points
            .iter()
            .map(|point| (point.run.id, point.breaks.join("; ")))
            .collect();
        assert_eq!(
            found,
            [
                (Some(1), String::new()),
                (None, "php version was 8.2.29, is 8.3.1".into()),
                (Some(3), "executor was hrtime, is microtime".into()),
            ]
        );
        let failed = &class.subjects[0].variants[1];
        assert!(history(&runs, &class.name, &class.subjects[0], failed).is_empty());
    }

    #[test]
    fn every_variant_has_one_line_for_people_and_for_tools() {
        let (first, mut second) = (suite(), suite());
        second.started += 10;
        second.environment.groups[0].values[0].1 = "8.3.1\u{1b}[2J".into();
        second.classes[0].subjects[0].variants[0].set = "other".into();
        let mut third = suite();
        third.started += 20;
        let runs = [&first, &second, &third].map(|suite| Entry {
            id: Some(suite.started.cast_signed()),
            suite,
        });
        let lines = lines(&runs, "benchMd5");
        let mut text = Vec::new();
        write_text(&lines, &mut text).unwrap();
        insta::assert_snapshot!(String::from_utf8(text).unwrap());
        assert!(super::lines(&runs, "nothing like it").is_empty());
        let mut text = Vec::new();
        write_json(&runs, &lines, &[], &mut text).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(
            (&json["format"], &json["version"]),
            (&"phperf-bench-log".into(), &1.into())
        );
        assert_eq!(json["runs"].as_array().unwrap().len(), 3);
        let variants = json["variants"].as_array().unwrap();
        let points = |at: usize| variants[at]["points"].as_array().unwrap().len();
        assert_eq!((variants.len(), points(0), points(1)), (2, 2, 1));
        assert_eq!(variants[0]["metric"], "time");
        assert_eq!(
            variants[0]["points"][1]["median"],
            lines[0].points[1].summary.median
        );
    }
}
