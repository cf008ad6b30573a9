//! A variant over the runs that are kept.

use crate::{
    environment::differences,
    model::{Subject, Suite, Summary, Variant},
    store::Run,
};

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

/// The runs in which a variant was measured, the oldest first.
pub fn history<'a>(runs: &[Entry<'a>], class: &str, subject: &Subject, variant: &Variant) -> Vec<Point<'a>> {
    let mut runs = runs.to_vec();
    // What is not kept is the newest.
    runs.sort_by_key(|run| (run.suite.started, run.id.unwrap_or(i64::MAX)));
    let mut points: Vec<Point<'a>> = Vec::new();
    let mut before: Option<(&Suite, &Subject, &Variant)> = None;
    for run in runs {
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
}
