//! A subject of both sides, measured in turns.

use super::{
    super::{source::Zygote, trouble::Trouble},
    matched::Matched,
    open::Open,
    probe::Probe,
};
use crate::Error;
use std::time::{Duration, Instant};
use trial::{Order, Pair, TrialError, in_turns};

/// A sample where the suite names no revolutions. A machine stays as fast as it is for some tens of milliseconds: a
/// sample of A and one of B have to fit into that several times.
const SAMPLE: Duration = Duration::from_millis(1);
/// How long all turns of a pair may take on each side.
const TURNS_TIME: Duration = Duration::from_millis(60);
/// Turns of a pair: odd numbers, so that one is the middle.
const TURNS: (u32, u32) = (5, 31);

/// Measures both sides at the same time, turn by turn; each pair in new processes.
pub(super) struct Probes<'a> {
    sides: [Probe<'a>; 2],
    zygote: Option<Zygote<'a>>,
    turns: usize,
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
        }))
    }

    /// New processes for both, first for the one that was drawn.
    fn renew(&mut self, order: Order) -> Result<(), TrialError> {
        if let Some(zygote) = &mut self.zygote {
            zygote.renew().map_err(|why| failed(0, &why))?;
        }
        let first = usize::from(order == Order::BFirst);
        for index in [first, 1 - first] {
            self.sides[index]
                .renew(self.zygote.as_mut())
                .map_err(|why| failed(index, &why))?;
        }
        Ok(())
    }
}

impl Pair for Probes<'_> {
    fn measure(&mut self, order: Order) -> Result<(f64, f64), TrialError> {
        self.renew(order)?;
        let [a, b] = &mut self.sides;
        let turns = in_turns(order, self.turns, || a.turn(), || b.turn());
        a.rest();
        b.rest();
        let turns = turns?;
        let Some((in_a, in_b)) = stats::from_turns(&turns) else {
            let side = usize::from(turns.iter().all(|turn| turn.0 > 0.0));
            let why = "a sample took no time that can be measured: name more revolutions (--revs)";
            return Err(failed(side, &why));
        };
        let net = |side: &mut Probe<'_>, index, raw| side.net(raw).map_err(|why| failed(index, &why));
        Ok((net(a, 0, in_a)?, net(b, 1, in_b)?))
    }
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

fn failed(side: usize, why: &dyn std::fmt::Display) -> TrialError {
    TrialError::Measure {
        side: if side == 0 { 'A' } else { 'B' },
        why: why.to_string().into(),
    }
}
