//! How far a build goes: what is asked for, or what shows a gain.

use crate::{args, compare};
use args::{BuildLevel, BuildPart};
use std::fmt::Write as _;
use trained::{Built, Choice, Error, Level, Part, Settings, Step, Terms, Tried, Watch, choose};
use trial::{Outcome, Plan};

/// The PHP, and what was tried on the way to it, if anything was.
pub fn build(
    settings: &Settings,
    plan: Plan,
    asked: &args::Build,
    watch: &mut dyn Watch,
) -> Result<(Built, Vec<Step>), Error> {
    if asked.level != Some(BuildLevel::Auto) {
        let level = Level {
            march: asked.march.is_some(),
            lto: asked.lto,
            bolt: asked.bolt,
            huge: asked.huge,
        };
        return Ok((trained::build(settings, level, watch)?, Vec::new()));
    }
    let terms = Terms {
        parts: parts(asked),
        plan,
        time: asked.measuring.time,
        budget: asked.budget,
        seed: asked.measuring.seed.unwrap_or_else(compare::clock),
    };
    let Choice { built, steps } = choose(settings, &terms, watch)?;
    Ok((built, steps))
}

fn parts(asked: &args::Build) -> Vec<Part> {
    let part = |part: &BuildPart| match part {
        BuildPart::Lto => Part::Lto,
        BuildPart::Bolt => Part::Bolt,
        BuildPart::Huge => Part::Huge,
        BuildPart::March => Part::March,
    };
    match &asked.parts {
        Some(parts) => parts.iter().map(part).collect(),
        None => [Part::Lto, Part::Bolt, Part::Huge]
            .into_iter()
            .chain(asked.march.is_some().then_some(Part::March))
            .collect(),
    }
}

/// What came of a step, in lines of a terminal: what it was measured against and whether it is kept; below it a row for each
/// comparison, with the change of its time, the interval of that, pairs, and what it says.
pub fn lines(step: &Step) -> String {
    let mut text = heading(step);
    match &step.tried {
        Tried::Measured { figures, .. } => {
            text.push('\n');
            for (measured, outcome) in figures {
                let [time, interval, pairs, verdict] = cells(outcome);
                let measured = shortened(measured);
                let _ = writeln!(
                    text,
                    "  {measured:NAME$}  {time:>8}  {interval:>20}  {pairs:>2} pairs  {verdict}"
                );
            }
        }
        Tried::Failed(why) | Tried::Left(why) => {
            let _ = writeln!(text, ": {why}");
        }
    }
    text
}

/// Columns of the name of what was measured: with the rest these are 80.
const NAME: usize = 22;

/// The end of a name tells more than its beginning, which is a path's.
fn shortened(name: &str) -> String {
    match name.chars().count().checked_sub(NAME) {
        None | Some(0) => name.to_owned(),
        Some(over) => format!("…{}", name.chars().skip(over + 1).collect::<String>()),
    }
}

/// Such as `+lto against pgo: left out`.
fn heading(step: &Step) -> String {
    let name = name(step);
    match &step.tried {
        Tried::Failed(_) => format!("{name} failed"),
        Tried::Left(_) => format!("{name} was not tried"),
        Tried::Measured { kept, .. } => {
            let before = step
                .before
                .map_or("the old PHP".to_owned(), |level| level.to_string());
            let became = if *kept { "kept" } else { "left out" };
            format!("{name} against {before}: {became}")
        }
    }
}

/// The same for a report, a sentence each.
pub fn sentences(steps: &[Step], built: &Built) -> Vec<String> {
    let mut said: Vec<_> = steps.iter().map(sentence).collect();
    said.push(format!("chosen: {}.", built.level));
    said
}

fn sentence(step: &Step) -> String {
    let heading = heading(step);
    match &step.tried {
        Tried::Failed(why) | Tried::Left(why) => format!("{heading}: {why}."),
        Tried::Measured { figures, .. } => {
            let told: Vec<_> = figures
                .iter()
                .map(|(measured, outcome)| {
                    let [time, interval, pairs, verdict] = cells(outcome);
                    format!("{measured}: {time} ({interval}, {pairs} pairs), {verdict}")
                })
                .collect();
            format!("{heading}. CPU time: {}.", told.join("; "))
        }
    }
}

fn name(step: &Step) -> String {
    step.part
        .map_or("pgo".to_owned(), |part| format!("+{}", part.name()))
}

fn cells(outcome: &Result<Outcome, String>) -> [String; 4] {
    let none = || "-".to_owned();
    match outcome {
        Err(why) => [none(), none(), none(), format!("no answer: {why}")],
        Ok(outcome) => {
            let look = &outcome.look;
            let (time, interval) = trial::cells(look);
            [time, interval, look.pairs.to_string(), look.verdict.to_string()]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trial::Trial;

    fn measured(ratio: f64) -> (String, Result<Outcome, String>) {
        let mut trial = Trial::new(Plan::new(20, 0.01).unwrap(), 1);
        let mut turn = 0.0;
        while !trial.is_over() {
            turn += 0.0001;
            trial.record(1.0, ratio + turn).unwrap();
        }
        ("4 pages".into(), Ok(trial.finish()))
    }

    #[test]
    fn each_step_tells_its_part() {
        let step = |part: Option<Part>, tried| Step {
            before: part.map(|_| Level::default()),
            part,
            tried,
        };
        let steps = [
            step(
                None,
                Tried::Measured {
                    figures: vec![measured(0.95)],
                    kept: true,
                },
            ),
            step(
                Some(Part::Lto),
                Tried::Measured {
                    figures: vec![
                        measured(1.0),
                        (
                            "/a/path/of/folders/and/of/folders/job.php 30".into(),
                            Err("it failed".into()),
                        ),
                    ],
                    kept: false,
                },
            ),
            step(Some(Part::Bolt), Tried::Left("there is no llvm-bolt".into())),
            step(Some(Part::Huge), Tried::Failed("make failed".into())),
        ];
        let text: String = steps.iter().map(lines).collect();
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "pgo against the old PHP: kept",
                "  4 pages                  -4.92 %    -4.97 % to -4.87 %  15 pairs  faster",
                "+lto against pgo: left out",
                "  4 pages                  +0.08 %    +0.03 % to +0.13 %  15 pairs  same",
                "  …of/folders/job.php 30         -                     -   - pairs  no answer: it failed",
                "+bolt was not tried: there is no llvm-bolt",
                "+huge failed: make failed",
            ]
        );
        let told: Vec<_> = steps.iter().map(sentence).collect();
        assert_eq!(
            told,
            [
                "pgo against the old PHP: kept. CPU time: 4 pages: -4.92 % (-4.97 % to -4.87 %, 15 pairs), faster.",
                "+lto against pgo: left out. CPU time: 4 pages: +0.08 % (+0.03 % to +0.13 %, 15 pairs), same; \
                 /a/path/of/folders/and/of/folders/job.php 30: - (-, - pairs), no answer: it failed.",
                "+bolt was not tried: there is no llvm-bolt.",
                "+huge failed: make failed.",
            ]
        );
    }

    #[test]
    fn a_row_fits_a_terminal() {
        let name = "/a/path/of/folders/and/of/folders/job.php 30".to_owned();
        let measured = [-0.5, 1.0].map(|turn| (name.clone(), measured(1.0 + turn).1));
        let step = Step {
            before: None,
            part: None,
            tried: Tried::Measured {
                figures: measured.into(),
                kept: true,
            },
        };
        for line in lines(&step).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert_eq!(shortened("4 pages"), "4 pages");
        assert_eq!(shortened(&name).chars().count(), NAME);
    }
}
