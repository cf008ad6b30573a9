//! The level that gains most on the user's own load, found by measuring: part after part is added to what is there, and kept
//! where that shows to be faster.

mod figures;

use crate::{
    Built, Error, Level, Part, Settings, Stage, Watch, compile::Bolt, measure, pipeline::Pipeline,
    programs::Sapis, stage::Key,
};
use figures::Figures;
use php::Sapi;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::time::{Duration, Instant};
use trial::{Outcome, Plan, Signal, Verdict};

/// How a level is chosen.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Parts to try, in this order.
    pub parts: Vec<Part>,
    /// Of each measurement.
    pub plan: Plan,
    /// How long each measurement may take.
    pub time: Option<Duration>,
    /// After so long nothing more is tried.
    pub budget: Option<Duration>,
    /// What is drawn at random is drawn from it.
    pub seed: u64,
}

/// A level that was tried.
#[derive(Debug)]
pub struct Step {
    /// What it was measured against; `None` for the old PHP.
    pub before: Option<Level>,
    /// The part that it has more.
    pub part: Option<Part>,
    /// What came of it.
    pub tried: Tried,
}

/// What was compared, and what that said, or why it could not be.
pub type Compared = (String, Result<Outcome, String>);

/// What came of trying a level.
#[derive(Debug)]
pub enum Tried {
    /// It was measured.
    Measured {
        /// In the order of the training.
        figures: Vec<Compared>,
        /// Whether it is part of what was chosen.
        kept: bool,
    },
    /// It could not be built, or did not answer as it has to.
    Failed(String),
    /// It was not tried, and why.
    Left(String),
}

/// What was chosen, and how.
#[derive(Debug)]
pub struct Choice {
    /// The PHP.
    pub built: Built,
    /// All that was tried, in this order.
    pub steps: Vec<Step>,
}

/// Builds and measures level after level, and returns the best. A step that was done is not done again.
pub fn choose(settings: &Settings, terms: &Terms, watch: &mut dyn Watch) -> Result<Choice, Error> {
    let began = Instant::now();
    let pipeline = Pipeline::open(settings, &[Level::default()], watch)?;
    let chooser = Chooser {
        settings,
        terms,
        pipeline: &pipeline,
    };
    watch.tries(Level::default());
    let mut best = pipeline.make(Level::default(), watch)?;
    let tried = chooser.measured(None, &best.old, &best, Key::default(), watch)?;
    let mut steps = Vec::new();
    let mut add = |step: Step, watch: &mut dyn Watch| {
        watch.tried(&step);
        steps.push(step);
    };
    let first = Step {
        before: None,
        part: None,
        // Something has to be there that the rest is added to.
        tried: Tried::Measured {
            figures: tried,
            kept: true,
        },
    };
    add(first, watch);
    for &part in &terms.parts {
        let before = Some(best.level);
        let over = terms.budget.filter(|budget| began.elapsed() >= *budget);
        let tried = match chooser.hindrance(&best, part, over) {
            Some(why) => Tried::Left(why),
            None => chooser.tried(part, &mut best, watch)?,
        };
        let step = Step {
            before,
            part: Some(part),
            tried,
        };
        add(step, watch);
    }
    Ok(Choice {
        built: pipeline.verified(best, watch)?,
        steps,
    })
}

/// Whether it is worth to be kept: something shows to be faster, and nothing to be slower.
fn pays(figures: &[Compared]) -> bool {
    let is = |wanted: Verdict| {
        move |(_, outcome): &Compared| {
            outcome
                .as_ref()
                .is_ok_and(|outcome| outcome.look.verdict == wanted)
        }
    };
    figures.iter().all(|(_, outcome)| outcome.is_ok())
        && figures.iter().any(is(Verdict::Faster))
        && !figures.iter().any(is(Verdict::Slower))
}

struct Chooser<'a> {
    settings: &'a Settings,
    terms: &'a Terms,
    pipeline: &'a Pipeline<'a>,
}

impl Chooser<'_> {
    /// Why a part is not tried.
    fn hindrance(&self, best: &Built, part: Part, over: Option<Duration>) -> Option<String> {
        if let Some(budget) = over {
            return Some(format!("the budget of {} s was over", budget.as_secs()));
        }
        match part {
            Part::Bolt | Part::Huge if best.old.has(Sapi::Apache) => {
                Some("mod_php is a library, and only programs are laid out anew".into())
            }
            Part::Bolt => Bolt::find().err().map(|error| error.to_string()),
            Part::Huge if best.level.bolt => {
                Some("BOLT puts code into two places, of which only one could lie on huge pages".into())
            }
            Part::March if self.settings.march.is_none() => Some("no processor was named (--march)".into()),
            Part::March | Part::Lto | Part::Huge => None,
        }
    }

    /// Builds the best level until now with a part more, which is the best from now on if that pays.
    fn tried(&self, part: Part, best: &mut Built, watch: &mut dyn Watch) -> Result<Tried, Error> {
        let level = best.level.with(part);
        watch.tries(level);
        let built = match self.pipeline.make(level, watch) {
            Ok(built) => built,
            Err(error) if error.is_of_level() => return Ok(Tried::Failed(error.to_string())),
            Err(error) => return Err(error),
        };
        built.warm()?;
        let figures = self.measured(Some(part), &best.new_programs(), &built, best.key, watch)?;
        let kept = pays(&figures);
        if kept {
            *best = built;
        }
        Ok(Tried::Measured { figures, kept })
    }

    /// Measures a build against another one, unless that was done.
    fn measured(
        &self,
        part: Option<Part>,
        a: &Sapis,
        built: &Built,
        before: Key,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Compared>, Error> {
        let name = part.map_or("choose-pgo".to_owned(), |part| format!("choose-{}", part.name()));
        let plan = self.terms.plan;
        let file = self.pipeline.folder.at("figures").join(&name);
        let terms = (plan.pairs(), plan.margin().to_bits(), self.terms.time);
        let inputs = (before, a, terms);
        let folder = &self.pipeline.folder;
        folder.once((Stage::Choose, &name), built.key, inputs, watch, |_, watch| {
            let figures = self.measure(a, &built.new_programs(), watch)?;
            figures
                .write(&file)
                .map_err(folder.full(format!("write {}", file.display())))
        })?;
        Figures::read(&file)?.outcomes(plan)
    }

    fn measure(&self, a: &Sapis, b: &Sapis, watch: &mut dyn Watch) -> Result<Figures, Error> {
        let terms = self.terms;
        let mut comparisons = measure::between(a, b, &self.settings.training);
        let began = Instant::now();
        let _pinned = Pinned::here();
        let outcomes = trial::run(&mut comparisons, terms.plan, 1, terms.seed, |progress| {
            watch.progress(progress.pairs, progress.pairs + progress.left);
            let over = terms.time.is_some_and(|time| began.elapsed() >= time);
            if over || watch.is_stopped() {
                Signal::Stop
            } else {
                Signal::Go
            }
        });
        // What was measured until then would be taken for all.
        if watch.is_stopped() {
            return Err(Error::Interrupted);
        }
        let names = comparisons.into_iter().map(|comparison| comparison.name);
        Ok(Figures::of(names.zip(outcomes)))
    }
}

/// This thread and what it starts, kept on the CPU that it runs on: whatever one CPU does to one side, it does to the other.
struct Pinned(Option<CpuSet>);

impl Pinned {
    fn here() -> Self {
        let before = sched_getaffinity(None).ok();
        let mut only = CpuSet::new();
        only.set(sched_getcpu());
        Self(before.filter(|_| sched_setaffinity(None, &only).is_ok()))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = sched_setaffinity(None, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trial::{Order, Trial, TrialError};

    fn outcome(ratio: f64) -> Outcome {
        let mut trial = Trial::new(Plan::new(20, 0.01).unwrap(), 1);
        let mut turn = 0.0;
        while !trial.is_over() {
            let _: Order = trial.order();
            turn += 0.0001;
            let recorded: Result<_, TrialError> = trial.record(1.0, ratio + turn);
            recorded.unwrap();
        }
        trial.finish()
    }

    #[test]
    fn what_pays_is_faster_somewhere_and_slower_nowhere() {
        let named = |outcomes: Vec<Result<Outcome, String>>| {
            let named = outcomes.into_iter().map(|outcome| (String::new(), outcome));
            pays(&named.collect::<Vec<_>>())
        };
        let [faster, same, slower] = [0.9, 1.0, 1.1].map(|ratio| Ok(outcome(ratio)));
        assert!(named(vec![faster.clone(), same.clone()]));
        assert!(!named(vec![same]));
        assert!(!named(vec![faster.clone(), slower]));
        assert!(!named(vec![faster, Err("no answer".into())]));
        assert!(!named(Vec::new()));
    }

    #[test]
    fn the_thread_is_free_again() {
        let before = sched_getaffinity(None).unwrap();
        {
            let _pinned = Pinned::here();
            assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
        }
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
