//! Comparisons measured pair by pair, until each is decided.

use crate::{Comparison, Look, Outcome, Plan, Trial, TrialError};
use fastrand::Rng;

/// What a run does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Figures that are thrown away.
    WarmUp,
    /// Pairs.
    Pairs,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// What it does next.
    pub stage: Stage,
    /// The comparison whose turn it is.
    pub name: &'a str,
    /// Pairs that were measured, of all comparisons.
    pub pairs: usize,
    /// Pairs that may have to be measured still, of all comparisons that are not decided.
    pub left: usize,
    /// Comparisons that are over.
    pub over: usize,
    /// The look that was just taken, and at what.
    pub look: Option<(&'a str, Look)>,
}

/// What whoever watches a run wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Go on.
    Go,
    /// Stop here: what was measured is analysed. The figures must have no part in it, a clock may.
    Stop,
}

/// Runs comparisons: `warm_up` measurements of each side, then round after round one pair of each that is not decided, the
/// order of the comparisons and of the sides drawn from `seed`.
///
/// `watch` is asked before each pair (and each warm-up). The outcomes are in the order of the comparisons; one that
/// cannot be measured ends with its error, and the others go on. A failure after a stop was wanted — Ctrl-C reaches the
/// measured process too — only loses the pair.
pub fn run(
    comparisons: &mut [Comparison<'_>],
    plan: Plan,
    warm_up: usize,
    seed: u64,
    mut watch: impl FnMut(&Progress<'_>) -> Signal,
) -> Vec<Result<Outcome, TrialError>> {
    let mut rng = Rng::with_seed(seed);
    let mut trials: Vec<Result<Trial, TrialError>> = comparisons
        .iter()
        .map(|_| Ok(Trial::new(plan, rng.u64(..))))
        .collect();
    let mut stage = Stage::WarmUp;
    let mut warmed = 0;
    let mut look: Option<(usize, Look)> = None;
    'run: loop {
        if warmed == warm_up {
            stage = Stage::Pairs;
        }
        let mut open: Vec<usize> = (0..trials.len())
            .filter(|&index| is_open(&trials[index]))
            .collect();
        if open.is_empty() {
            break;
        }
        rng.shuffle(&mut open);
        for index in open {
            let name = comparisons[index].name.clone();
            let taken = look.take().map(|(of, look)| (comparisons[of].name.clone(), look));
            let progress = Progress {
                stage,
                name: &name,
                pairs: trials.iter().flatten().map(Trial::pairs).sum(),
                left: trials
                    .iter()
                    .flatten()
                    .filter(|trial| !trial.is_over())
                    .map(left)
                    .sum(),
                over: trials.iter().filter(|trial| !is_open(trial)).count(),
                look: taken.as_ref().map(|(name, look)| (name.as_str(), *look)),
            };
            if watch(&progress) == Signal::Stop {
                break 'run;
            }
            let Ok(trial) = &mut trials[index] else { continue };
            let measured = comparisons[index].pair.measure(trial.order());
            match (measured, stage) {
                (Ok(_), Stage::WarmUp) => {}
                (Ok((a, b)), Stage::Pairs) => match trial.record(a, b) {
                    Ok(taken) => look = taken.map(|look| (index, look)),
                    Err(error) => trials[index] = Err(error),
                },
                (Err(error), _) => {
                    if watch(&progress) == Signal::Stop {
                        break 'run;
                    }
                    trials[index] = Err(error);
                }
            }
        }
        warmed += usize::from(stage == Stage::WarmUp);
    }
    trials.into_iter().map(|trial| trial.map(Trial::finish)).collect()
}

fn is_open(trial: &Result<Trial, TrialError>) -> bool {
    trial.as_ref().is_ok_and(|trial| !trial.is_over())
}

fn left(trial: &Trial) -> usize {
    trial.plan().pairs() - trial.pairs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Stopped, Verdict};
    use std::cell::{Cell, RefCell};

    fn plan(pairs: usize) -> Plan {
        Plan::new(pairs, 0.01).unwrap()
    }

    #[test]
    fn each_stops_when_it_is_decided_and_failures_end_only_themselves() {
        let calls = Cell::new(0);
        let mut comparisons = [
            Comparison::new("double", || Ok(1.0), || Ok(2.0)),
            Comparison::new(
                "broken",
                || Ok(1.0),
                || {
                    calls.set(calls.get() + 1);
                    Err("no such file".into())
                },
            ),
            Comparison::new("zero", || Ok(0.0), || Ok(1.0)),
        ];
        let outcomes = run(&mut comparisons, plan(60), 0, 1, |_| Signal::Go);
        let double = outcomes[0].as_ref().unwrap();
        assert_eq!(
            (double.look.verdict, double.stopped),
            (Verdict::Slower, Stopped::Decided)
        );
        assert_eq!(double.look.pairs, 18);
        let broken = outcomes[1].as_ref().unwrap_err().to_string();
        assert_eq!(broken, "B could not be measured: no such file");
        assert_eq!(calls.get(), 1);
        assert!(
            outcomes[2]
                .as_ref()
                .unwrap_err()
                .to_string()
                .contains("figures above 0")
        );
    }

    #[test]
    fn warm_up_is_not_counted() {
        let calls = Cell::new(0);
        let mut comparisons = [Comparison::new(
            "warm",
            || {
                calls.set(calls.get() + 1);
                Ok(if calls.get() <= 3 { 1000.0 } else { 1.0 })
            },
            || Ok(1.0),
        )];
        let outcome = run(&mut comparisons, plan(5), 3, 1, |_| Signal::Go)
            .remove(0)
            .unwrap();
        assert_eq!(calls.get(), 8);
        assert_eq!(outcome.a, [1.0; 5]);
        assert_eq!(
            (outcome.look.verdict, outcome.look.interval),
            (Verdict::Inconclusive, None)
        );
    }

    #[test]
    fn a_stop_keeps_what_was_measured() {
        let mut comparisons = [Comparison::new("stopped", || Ok(1.0), || Ok(1.5))];
        let stop_at = |pairs| {
            move |progress: &Progress<'_>| {
                if progress.pairs == pairs {
                    Signal::Stop
                } else {
                    Signal::Go
                }
            }
        };
        let outcome = run(&mut comparisons, plan(60), 0, 1, stop_at(12))
            .remove(0)
            .unwrap();
        assert_eq!((outcome.stopped, outcome.look.pairs), (Stopped::Early, 12));
        assert_eq!(outcome.look.verdict, Verdict::Slower);
        let nothing = run(&mut comparisons, plan(60), 0, 1, stop_at(0))
            .remove(0)
            .unwrap();
        assert_eq!(
            (nothing.stopped, nothing.look.verdict),
            (Stopped::Early, Verdict::Inconclusive)
        );
    }

    #[test]
    fn a_failure_because_of_a_stop_loses_the_pair_alone() {
        let stopped = Cell::new(false);
        let mut comparisons = [Comparison::new(
            "interrupted",
            || {
                stopped.set(true);
                Err("killed by SIGINT".into())
            },
            || Ok(1.0),
        )];
        let watch = |_: &Progress<'_>| if stopped.get() { Signal::Stop } else { Signal::Go };
        let outcome = run(&mut comparisons, plan(60), 0, 1, watch).remove(0).unwrap();
        assert_eq!((outcome.stopped, outcome.look.pairs), (Stopped::Early, 0));
    }

    #[test]
    fn orders_are_drawn_and_repeat_with_their_seed() {
        let order = |seed| {
            let order = RefCell::new(String::new());
            let mut comparisons = [Comparison::new(
                "order",
                || {
                    order.borrow_mut().push('a');
                    Ok(1.0)
                },
                || {
                    order.borrow_mut().push('b');
                    Ok(1.0)
                },
            )];
            let plan = Plan::new(40, 0.0).unwrap();
            run(&mut comparisons, plan, 0, seed, |_| Signal::Go)
                .remove(0)
                .unwrap();
            drop(comparisons);
            order.into_inner()
        };
        let drawn = order(1);
        assert_eq!(drawn, order(1));
        assert_ne!(drawn, order(2));
        assert!(drawn.contains("abba") && drawn.contains("baab"), "{drawn}");
    }
}
