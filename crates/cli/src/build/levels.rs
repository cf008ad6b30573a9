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

/// A row for each comparison of each step: its name, what was measured, the change of its time, the interval of that, pairs,
/// what it says, and what became of the step.
pub fn table(steps: &[Step]) -> String {
    const HEAD: [&str; 7] = ["level", "measured", "time", "interval", "pairs", "verdict", ""];
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    for step in steps {
        let name = name(step);
        match &step.tried {
            Tried::Measured { figures, kept } => {
                let kept = if *kept { "kept" } else { "left out" };
                rows.extend(figures.iter().map(|(measured, outcome)| {
                    let [time, interval, pairs, verdict] = cells(outcome);
                    vec![
                        name.clone(),
                        measured.clone(),
                        time,
                        interval,
                        pairs,
                        verdict,
                        kept.into(),
                    ]
                }));
            }
            Tried::Failed(why) => rows.push(vec![name, format!("failed: {why}")]),
            Tried::Left(why) => rows.push(vec![name, format!("not tried: {why}")]),
        }
    }
    let width = |column: usize| {
        let cells = rows.iter().filter(|row| row.len() == HEAD.len());
        cells.map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let names = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = if column == 0 { names } else { width(column) };
            let _ = write!(line, "{cell:width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The same for a report, a sentence each.
pub fn sentences(steps: &[Step], built: &Built) -> Vec<String> {
    let mut said: Vec<_> = steps.iter().map(sentence).collect();
    said.push(format!("chosen: {}.", built.level));
    said
}

fn sentence(step: &Step) -> String {
    let name = name(step);
    let before = step
        .before
        .map_or("the old PHP".to_owned(), |level| level.to_string());
    match &step.tried {
        Tried::Failed(why) => format!("{name} failed: {why}."),
        Tried::Left(why) => format!("{name} was not tried: {why}."),
        Tried::Measured { figures, kept } => {
            let told: Vec<_> = figures
                .iter()
                .map(|(measured, outcome)| {
                    let [time, interval, pairs, verdict] = cells(outcome);
                    format!("{measured}: {time} ({interval}, {pairs} pairs), {verdict}")
                })
                .collect();
            let became = if *kept { "kept" } else { "left out" };
            format!(
                "{name} against {before}, CPU time: {}; {became}.",
                told.join("; ")
            )
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
                    figures: vec![measured(1.0), ("job.php".into(), Err("it failed".into()))],
                    kept: false,
                },
            ),
            step(Some(Part::Bolt), Tried::Left("there is no llvm-bolt".into())),
            step(Some(Part::Huge), Tried::Failed("make failed".into())),
        ];
        assert_eq!(
            table(&steps).lines().collect::<Vec<_>>(),
            [
                "level  measured  time     interval            pairs  verdict",
                "pgo    4 pages   -4.92 %  -4.97 % to -4.87 %  15     faster                kept",
                "+lto   4 pages   +0.08 %  +0.03 % to +0.13 %  15     same                  left out",
                "+lto   job.php   -        -                   -      no answer: it failed  left out",
                "+bolt  not tried: there is no llvm-bolt",
                "+huge  failed: make failed",
            ]
        );
        let told: Vec<_> = steps.iter().map(sentence).collect();
        assert_eq!(
            told,
            [
                "pgo against the old PHP, CPU time: 4 pages: -4.92 % (-4.97 % to -4.87 %, 15 pairs), faster; kept.",
                "+lto against pgo, CPU time: 4 pages: +0.08 % (+0.03 % to +0.13 %, 15 pairs), same; job.php: - (-, - pairs), \
                 no answer: it failed; left out.",
                "+bolt was not tried: there is no llvm-bolt.",
                "+huge failed: make failed.",
            ]
        );
    }
}
