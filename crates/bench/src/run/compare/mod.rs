//! Compares a suite with itself elsewhere: another revision, folder, PHP or ini. Each subject of A is measured in pairs
//! with that of B, in an order that is drawn at random, class by class.

mod matched;
mod open;
mod probe;
mod probes;

use super::hooks;
use crate::{Error, discover::PlannedClass, model::Metric, settings::Settings};
use matched::{Matched, MatchedClass, Pairing};
use open::Open;
use probes::Probes;
use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use trial::{Comparison, Entry, Kind, Plan, Report, Signal, TrialError};

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Side {
    /// What tells it from the other, such as a revision.
    pub label: String,
    /// Its suite.
    pub settings: Settings,
}

/// How much is measured, and with what luck.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Of each subject.
    pub plan: Plan,
    /// Of all that is drawn at random.
    pub seed: u64,
    /// How long all of it may take; what is not decided by then is inconclusive.
    pub time: Option<Duration>,
}

/// Compares B with A. `progress` is told before each pair; `stop` ends it early, and what was measured is analysed.
pub fn compare(
    [a, b]: &[Side; 2],
    effort: Effort,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&trial::Progress<'_>),
) -> Result<Report, Error> {
    let start = Instant::now();
    let sides = [Open::new(&a.settings, stop)?, Open::new(&b.settings, stop)?];
    let pairing = Pairing::new(&sides)?;
    let mut left: usize = pairing.classes.iter().map(|class| class.subjects.len()).sum();
    let mut entries = pairing.failed;
    let mut found = pairing.notes;
    for (number, class) in pairing.classes.iter().enumerate() {
        // What is left is shared evenly, so that the last class has its part.
        let share = class.subjects.len() as f64 / left.max(1) as f64;
        let until = effort
            .time
            .map(|time| Instant::now() + time.saturating_sub(start.elapsed()).mul_f64(share));
        left -= class.subjects.len();
        let mut run = ClassRun {
            sides: &sides,
            notes: &mut found,
            effort: Effort {
                seed: effort.seed.wrapping_add(number as u64),
                ..effort
            },
            until,
            stop,
            progress,
        };
        entries.extend(run.class(class)?);
    }
    let (metric, kind) = match pairing.metric {
        Metric::Time => ("time of a revolution", Kind::Time),
        Metric::Cpu => ("CPU time of a revolution", Kind::Time),
        Metric::Instructions => ("instructions of a revolution", Kind::Instructions),
    };
    Ok(Report {
        a: trial::Side::new(&a.label),
        b: trial::Side::new(&b.label),
        metric: metric.into(),
        kind,
        plan: effort.plan,
        seed: effort.seed,
        partial: stop.load(Ordering::Relaxed).then(|| "interrupted".to_owned()),
        notes: notes(&sides, found),
        entries,
    })
}

/// The comparisons of one class.
struct ClassRun<'a> {
    sides: &'a [Open<'a>; 2],
    effort: Effort,
    until: Option<Instant>,
    stop: &'a AtomicBool,
    /// What the reader of the figures has to know, a sentence each.
    notes: &'a mut Vec<String>,
    progress: &'a mut dyn FnMut(&trial::Progress<'_>),
}

impl ClassRun<'_> {
    fn class(&mut self, class: &MatchedClass<'_>) -> Result<Vec<Entry>, Error> {
        for index in 0..2 {
            let (bench, one) = (self.sides[index].bench(), class.classes[index]);
            if let Some(failure) = hooks::call(&bench, one, &one.before, "before")? {
                let failures = self.after(&class.classes[..=index])?;
                let subjects = class
                    .subjects
                    .iter()
                    .map(|subject| without(&subject.name, index, &failure.message));
                return Ok(subjects.chain(failures).collect());
            }
        }
        let entries = self.subjects(&class.subjects)?;
        let failures = self.after(&class.classes)?;
        Ok(entries.into_iter().chain(failures).collect())
    }

    fn after(&self, classes: &[&PlannedClass]) -> Result<Vec<Entry>, Error> {
        let mut failures = Vec::new();
        for (index, class) in classes.iter().enumerate() {
            let bench = self.sides[index].bench();
            if let Some(failure) = hooks::call(&bench, class, &class.after, "after")? {
                failures.push(without(&class.name, index, &failure.message));
            }
        }
        Ok(failures)
    }

    /// The answer where nothing was measured.
    fn nothing(&self, subject: &Matched<'_>) -> Entry {
        Entry {
            name: subject.name.clone(),
            outcome: Ok(trial::Trial::new(self.effort.plan, self.effort.seed).finish()),
        }
    }

    fn subjects(&mut self, subjects: &[Matched<'_>]) -> Result<Vec<Entry>, Error> {
        let mut entries: Vec<Option<Entry>> = Vec::new();
        let mut comparisons = Vec::new();
        let mut again = Vec::new();
        for subject in subjects {
            if self.over() {
                entries.push(Some(self.nothing(subject)));
                continue;
            }
            match Probes::new(self.sides, subject)? {
                Ok(probes) => {
                    again.push((&subject.name, probes.again()));
                    comparisons.push(Comparison::of(&subject.name, probes));
                    entries.push(None);
                }
                // By whoever ended the run, and not by the subject.
                Err(_) if self.over() => entries.push(Some(self.nothing(subject))),
                Err((side, why)) => entries.push(Some(without(&subject.name, side, &why))),
            }
        }
        let (until, stop) = (self.until, self.stop);
        let mut outcomes = trial::run(&mut comparisons, self.effort.plan, 0, self.effort.seed, |now| {
            (self.progress)(now);
            let late = until.is_some_and(|until| Instant::now() >= until);
            if late || stop.load(Ordering::Relaxed) {
                Signal::Stop
            } else {
                Signal::Go
            }
        })
        .into_iter()
        .zip(comparisons)
        .map(|(outcome, comparison)| Entry {
            name: comparison.name,
            outcome,
        });
        let entries = entries
            .into_iter()
            .filter_map(|entry| entry.or_else(|| outcomes.next()))
            .collect();
        let again = again.iter().filter(|(_, pairs)| pairs.get() > 0);
        self.notes.extend(again.map(|(name, pairs)| {
            format!(
                "{name}: pairs that were measured again, since a side cost no more than an empty subject: {}.",
                pairs.get()
            )
        }));
        Ok(entries)
    }

    fn over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// The entry of what could not be measured.
fn without(name: impl Into<String>, side: usize, why: &dyn fmt::Display) -> Entry {
    Entry {
        name: name.into(),
        outcome: Err(TrialError::of_side(side, why.to_string())),
    }
}

/// What either side has to say, once where both say it.
fn notes(sides: &[Open<'_>; 2], mut notes: Vec<String>) -> Vec<String> {
    let [a, b] = [sides[0].notes(), sides[1].notes()];
    notes.extend(a.iter().map(|note| {
        if b.contains(note) {
            format!("{note}.")
        } else {
            format!("A: {note}.")
        }
    }));
    notes.extend(
        b.iter()
            .filter(|note| !a.contains(note))
            .map(|note| format!("B: {note}.")),
    );
    notes
}
