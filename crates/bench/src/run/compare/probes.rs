//! A subject of both sides, measured in turns.

use super::{
    super::{source::Zygote, trouble::Trouble},
    matched::Matched,
    open::Open,
    probe::Probe,
};
use crate::Error;
use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};
use trial::{Order, Pair, TrialError, in_turns};

/// A sample where the suite names no revolutions. A machine stays as fast as it is for some tens of milliseconds: a
/// sample of A and one of B have to fit into that several times.
const SAMPLE: Duration = Duration::from_millis(1);
/// How long all turns of a pair may take on each side.
const TURNS_TIME: Duration = Duration::from_millis(60);
/// Turns of a pair: odd numbers, so that one is the middle.
const TURNS: (u32, u32) = (5, 31);
/// So many pairs in a row in which a side costs no more than an empty subject are no accident.
const UNLUCKY: usize = 3;

/// Measures both sides at the same time, turn by turn; each pair in new processes.
pub(super) struct Probes<'a> {
    sides: [Probe<'a>; 2],
    zygote: Option<Zygote<'a>>,
    turns: usize,
    /// Pairs that were measured again, since a side cost no more in them than an empty subject.
    again: Rc<Cell<usize>>,
}

/// Which side cannot be measured, and why.
pub(super) type SideFailed = (usize, String);

impl<'a> Probes<'a> {
    /// Both sides of a subject, tried out, with the same number of revolutions.
    pub(super) fn new(
        sides: &'a [Open<'a>; 2],
        subject: &'a Matched<'a>,
    ) -> Result<Result<Self, SideFailed>, Error> {
        let mut a = Probe::new(&sides[0], &subject.sides[0], subject.warmup)?;
        let mut b = Probe::new(&sides[1], &subject.sides[1], subject.warmup)?;
        let mut found = [1, 1];
        let mut took = Duration::ZERO;
        for (index, probe) in [&mut a, &mut b].into_iter().enumerate() {
            match tried(probe, subject.revolutions) {
                Ok((revolutions, time)) => (found[index], took) = (revolutions, took.max(time)),
                Err(Trouble::Run(error)) => return Err(error),
                Err(why) => return Ok(Err((index, why.to_string()))),
            }
        }
        // The slower side's number keeps both samples short.
        let revolutions = found[0].min(found[1]);
        (a.revolutions, b.revolutions) = (revolutions, revolutions);
        let both_fork = a.forks() && b.forks();
        let zygote = if both_fork && a.launcher().is_like(b.launcher()) {
            Some(Zygote::new(a.launcher(), a.folder(), sides[0].stop())?)
        } else {
            None
        };
        let turns = if both_fork {
            let fitting = TURNS_TIME.as_nanos() / took.as_nanos().max(1);
            (fitting as u32).clamp(TURNS.0, TURNS.1) | 1
        } else {
            1
        };
        Ok(Ok(Self {
            sides: [a, b],
            zygote,
            turns: turns as usize,
            again: Rc::default(),
        }))
    }

    /// How many pairs were measured again, whenever it is asked.
    pub(super) fn again(&self) -> Rc<Cell<usize>> {
        Rc::clone(&self.again)
    }

    /// New processes for both, first for the one that was drawn.
    fn renew(&mut self, order: Order) -> Result<(), TrialError> {
        if let Some(zygote) = &mut self.zygote {
            zygote
                .renew()
                .map_err(|why| TrialError::of_side(0, why.to_string()))?;
        }
        let first = usize::from(order == Order::BFirst);
        for index in [first, 1 - first] {
            self.sides[index]
                .renew(self.zygote.as_mut())
                .map_err(|why| TrialError::of_side(index, why.to_string()))?;
        }
        Ok(())
    }
}

impl Probes<'_> {
    /// What a revolution takes on both sides; 0 or less where that is no more than an empty subject takes.
    fn net(&mut self, order: Order) -> Result<[f64; 2], TrialError> {
        self.renew(order)?;
        let [a, b] = &mut self.sides;
        let turns = in_turns(order, self.turns, || a.turn(), || b.turn());
        a.rest();
        b.rest();
        let turns = turns?;
        let Some((in_a, in_b)) = stats::from_turns(&turns) else {
            let side = usize::from(turns.iter().all(|turn| turn.0 > 0.0));
            let why = "a sample took no time that can be measured: name more revolutions (--revs)";
            return Err(TrialError::of_side(side, why));
        };
        Ok([a.net(in_a), b.net(in_b)])
    }
}

impl Pair for Probes<'_> {
    /// A pair in which either side has no figure is measured again, in the same order: that treats both sides alike, so that
    /// with equal sides the coin alone still decides which figure is the greater one.
    fn measure(&mut self, order: Order) -> Result<(f64, f64), TrialError> {
        first_above_zero(&self.again.clone(), || self.net(order))
    }
}

fn first_above_zero(
    again: &Cell<usize>,
    mut measure: impl FnMut() -> Result<[f64; 2], TrialError>,
) -> Result<(f64, f64), TrialError> {
    let mut side = 0;
    for _ in 0..UNLUCKY {
        match measure()?.map(|net| (net > 0.0).then_some(net)) {
            [Some(a), Some(b)] => return Ok((a, b)),
            [a, _] => side = usize::from(a.is_some()),
        }
        again.set(again.get() + 1);
    }
    let why = "it costs no more than an empty subject (folded away?): there is nothing to compare";
    Err(TrialError::of_side(side, why))
}

/// The number of revolutions, and how long a turn of so many takes.
fn tried(probe: &mut Probe<'_>, named: Option<u64>) -> Result<(u64, Duration), Trouble> {
    probe.revolutions = probe.find_revolutions(named, SAMPLE)?;
    let start = Instant::now();
    if probe.forks() {
        probe.turn().map_err(|why| Trouble::subject(why.to_string()))?;
    }
    let took = start.elapsed();
    probe.rest();
    Ok((probe.revolutions, took))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[[f64; 2]]) -> (Result<(f64, f64), String>, usize) {
        let again = Cell::new(0);
        let mut pairs = pairs.iter();
        let found = first_above_zero(&again, || Ok(*pairs.next().expect("no more are measured")));
        (found.map_err(|why| why.to_string()), again.get())
    }

    #[test]
    fn an_unlucky_pair_is_measured_again_and_counted() {
        assert_eq!(of(&[[1.0, 2.0]]), (Ok((1.0, 2.0)), 0));
        assert_eq!(of(&[[0.0, 2.0], [1.0, -0.1], [1.0, 2.0]]), (Ok((1.0, 2.0)), 2));
    }

    #[test]
    fn a_subject_that_costs_nothing_is_told_with_its_side() {
        let (found, again) = of(&[[1.0, 0.0], [-1.0, 2.0], [1.0, 0.0]]);
        let why = found.unwrap_err();
        assert!(
            why.starts_with("B could not be measured: it costs no more than"),
            "{why}"
        );
        assert_eq!(again, UNLUCKY);
    }
}
