//! How often trials are wrong, and how often they find what is there, on simulated machines.

mod noise;

use noise::{Machine, Noise};
use std::cell::RefCell;
use trial::{Comparison, Outcome, Plan, Signal, Stopped, Verdict, run};

fn compare(noise: Noise, factor: f64, plan: Plan, seed: u64) -> Outcome {
    let machine = RefCell::new(Machine::new(noise, seed));
    let mut comparisons = [Comparison::new(
        noise.name(),
        || Ok(machine.borrow_mut().figure()),
        || Ok(machine.borrow_mut().figure() * factor),
    )];
    run(&mut comparisons, plan, 0, !seed, |_| Signal::Go)
        .remove(0)
        .unwrap()
}

fn claims(noise: Noise, plan: Plan, trials: u64) -> usize {
    (0..trials)
        .filter(|&seed| {
            let verdict = compare(noise, 1.0, plan, seed).look.verdict;
            matches!(verdict, Verdict::Faster | Verdict::Slower)
        })
        .count()
}

fn found(noise: Noise, factor: f64, trials: u64) -> usize {
    let plan = Plan::new(Plan::PAIRS, Plan::MARGIN).unwrap();
    (0..trials)
        .filter(|&seed| compare(noise, factor, plan, seed).look.verdict == Verdict::Slower)
        .count()
}

#[test]
fn the_same_code_is_hardly_ever_called_different() {
    // No margin: nothing helps but the intervals. 0.3 % of 1000 are 3; 10 or more are seen once in a thousand times.
    let plan = Plan::new(Plan::PAIRS, 0.0).unwrap();
    for noise in Noise::ALL {
        let claimed = claims(noise, plan, 1000);
        assert!(claimed < 10, "{noise:?}: {claimed} of 1000");
    }
}

#[test]
fn what_is_there_is_found_where_it_is_quiet() {
    for (noise, factor, least) in [
        (Noise::Quiet, 1.01, 190),
        (Noise::Quiet, 1.02, 198),
        (Noise::Interrupted, 1.05, 198),
        (Noise::Wild, 1.05, 190),
        (Noise::Drifting, 1.05, 180),
    ] {
        let found = found(noise, factor, 200);
        assert!(found >= least, "{noise:?} {factor}: {found} of 200");
    }
}

#[test]
fn a_clear_difference_and_clear_sameness_stop_early() {
    let plan = Plan::new(Plan::PAIRS, Plan::MARGIN).unwrap();
    let clear = compare(Noise::Quiet, 1.1, plan, 1);
    assert_eq!(
        (clear.look.verdict, clear.stopped),
        (Verdict::Slower, Stopped::Decided)
    );
    assert!(
        clear.look.beyond_margin && clear.look.pairs == 18,
        "{:?}",
        clear.look
    );
    let same = compare(Noise::Quiet, 1.0, Plan::new(200, 0.01).unwrap(), 1);
    assert_eq!(
        (same.look.verdict, same.stopped),
        (Verdict::Same, Stopped::Decided)
    );
    assert!(same.look.pairs < 200);
}

#[test]
fn sides_are_treated_alike() {
    let plan = Plan::new(Plan::PAIRS, Plan::MARGIN).unwrap();
    let faster = (0..100)
        .filter(|&seed| compare(Noise::Quiet, 1.0 / 1.02, plan, seed).look.verdict == Verdict::Faster)
        .count();
    assert!(faster >= 98, "{faster} of 100");
}

#[test]
fn what_it_would_take_is_about_what_it_takes() {
    // Half a per cent, which interruptions hide from 30 pairs.
    let undecided = (0..)
        .map(|seed| compare(Noise::Interrupted, 1.005, Plan::new(30, 0.0).unwrap(), seed))
        .find_map(|outcome| {
            outcome
                .look
                .more_pairs
                .filter(|_| outcome.look.verdict == Verdict::Inconclusive)
        })
        .unwrap();
    let plan = Plan::new((30 + 3 * undecided).min(1000), 0.0).unwrap();
    let decided = (0..20)
        .filter(|&seed| compare(Noise::Interrupted, 1.005, plan, seed).look.verdict == Verdict::Slower)
        .count();
    assert!(
        decided >= 10,
        "{decided} of 20 after three times {undecided} more pairs"
    );
}
