//! What a step measured, kept in a file: the verdict is read from the figures anew each time.

use super::Compared;
use crate::Error;
use std::{fmt::Write as _, fs, io, path::Path};
use trial::{Outcome, Plan, Trial, TrialError};

/// The figures of one comparison, or why there are none.
#[derive(Clone, Debug, PartialEq)]
enum Taken {
    Pairs(Vec<(f64, f64)>),
    Failed(String),
}

/// The figures of a step, by comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Figures(Vec<(String, Taken)>);

impl Figures {
    pub fn of(measured: impl Iterator<Item = (String, Result<Outcome, TrialError>)>) -> Self {
        let taken = |outcome: Result<Outcome, TrialError>| match outcome {
            Ok(outcome) => Taken::Pairs(outcome.a.into_iter().zip(outcome.b).collect()),
            Err(error) => Taken::Failed(one_line(&error.to_string())),
        };
        Self(
            measured
                .map(|(name, outcome)| (one_line(&name), taken(outcome)))
                .collect(),
        )
    }

    /// What they say.
    pub fn outcomes(&self, plan: Plan) -> Result<Vec<Compared>, Error> {
        let outcome = |pairs: &[(f64, f64)]| {
            // The order was drawn when they were measured.
            let mut trial = Trial::new(plan, 0);
            for &(a, b) in pairs {
                trial
                    .record(a, b)
                    .map_err(|error| Error::Lost(error.to_string()))?;
            }
            Ok::<_, Error>(trial.finish())
        };
        let of = |(name, taken): &(String, Taken)| {
            let said = match taken {
                Taken::Pairs(pairs) => Ok(outcome(pairs)?),
                Taken::Failed(why) => Err(why.clone()),
            };
            Ok((name.clone(), said))
        };
        self.0.iter().map(of).collect()
    }

    /// A line `= NAME` for each comparison; below it `A B` for each pair, or `! WHY`.
    fn text(&self) -> String {
        let mut text = String::new();
        for (name, taken) in &self.0 {
            let _ = writeln!(text, "= {name}");
            match taken {
                Taken::Failed(why) => {
                    let _ = writeln!(text, "! {why}");
                }
                Taken::Pairs(pairs) => {
                    for (a, b) in pairs {
                        let _ = writeln!(text, "{a} {b}");
                    }
                }
            }
        }
        text
    }

    fn parse(text: &str) -> Option<Self> {
        let mut figures = Self::default();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("= ") {
                figures.0.push((name.to_owned(), Taken::Pairs(Vec::new())));
                continue;
            }
            let (_, last) = figures.0.last_mut()?;
            match (last, line.strip_prefix("! ")) {
                (last, Some(why)) => *last = Taken::Failed(why.to_owned()),
                (Taken::Pairs(pairs), None) => {
                    let (a, b) = line.split_once(' ')?;
                    pairs.push((a.parse().ok()?, b.parse().ok()?));
                }
                (Taken::Failed(_), None) => return None,
            }
        }
        Some(figures)
    }

    pub fn write(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::write(path, self.text())
    }

    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(Error::io(format!(
            "read {}: start again with --from choose",
            path.display()
        )))?;
        Self::parse(&text).ok_or_else(|| {
            Error::Lost(format!(
                "{} is broken: start again with --from choose",
                path.display()
            ))
        })
    }
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use trial::{Comparison, Signal};

    #[test]
    fn what_was_measured_says_the_same_again() {
        let plan = Plan::new(30, 0.01).unwrap();
        let turn = std::cell::Cell::new(0.0);
        let mut comparisons = [
            Comparison::new(
                "2 pages",
                || Ok(1.0),
                || {
                    turn.set(turn.get() + 0.001);
                    Ok(0.9 + turn.get())
                },
            ),
            Comparison::new("broken\nscript", || Ok(1.0), || Err("no\nsuch file".into())),
        ];
        let outcomes = trial::run(&mut comparisons, plan, 0, 3, |_| Signal::Go);
        let look = outcomes[0].as_ref().unwrap().look;
        let names = comparisons.into_iter().map(|comparison| comparison.name);
        let figures = Figures::of(names.zip(outcomes));
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("figures/choose-lto");
        figures.write(&file).unwrap();
        let read = Figures::read(&file).unwrap();
        assert_eq!(read, figures);
        let said = read.outcomes(plan).unwrap();
        assert_eq!(said[0].1.as_ref().unwrap().look, look);
        assert_eq!(said[1].0, "broken script");
        assert_eq!(
            said[1].1.as_ref().unwrap_err(),
            "B could not be measured: no such file"
        );
    }

    proptest! {
        #[test]
        fn a_broken_file_is_told(text in "[=! a0-9.\n]{0,60}") {
            if let Some(figures) = Figures::parse(&text) {
                prop_assert_eq!(Figures::parse(&figures.text()), Some(figures));
            }
        }
    }
}
