//! One comparison, driven from outside.

use crate::{Look, Outcome, Plan, Stopped, TrialError};
use fastrand::Rng;
use stats::LogRatios;

/// Which side of a pair is measured first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A, then B.
    AFirst,
    /// B, then A.
    BFirst,
}

impl Order {
    /// The other one.
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            Self::AFirst => Self::BFirst,
            Self::BFirst => Self::AFirst,
        }
    }
}

/// The pairs of one comparison. Whoever drives it asks for the [`order`](Self::order) of each pair, measures both sides,
/// and [`record`](Self::record)s them, until a look says that it [`is over`](Self::is_over).
#[derive(Clone, Debug)]
pub struct Trial {
    plan: Plan,
    looks: Vec<(usize, f64)>,
    next: usize,
    spent: f64,
    rng: Rng,
    a: Vec<f64>,
    b: Vec<f64>,
    ratios: LogRatios,
    last: Option<Look>,
}

impl Trial {
    /// A trial after a plan; orders are drawn from `seed`.
    pub fn new(plan: Plan, seed: u64) -> Self {
        Self {
            looks: plan.looks(),
            plan,
            next: 0,
            spent: 0.0,
            rng: Rng::with_seed(seed),
            a: Vec::new(),
            b: Vec::new(),
            ratios: LogRatios::default(),
            last: None,
        }
    }

    /// Draws the order of the next pair. To be asked once for each pair, and obeyed: that it is drawn is what
    /// makes the answer right beside a busy neighbour.
    pub fn order(&mut self) -> Order {
        if self.rng.bool() {
            Order::AFirst
        } else {
            Order::BFirst
        }
    }

    /// Takes a pair of figures, which have to be finite and above 0; a look, where it was the time for one.
    pub fn record(&mut self, a: f64, b: f64) -> Result<Option<Look>, TrialError> {
        self.ratios.push(a, b)?;
        self.a.push(a);
        self.b.push(b);
        match self.looks.get(self.next) {
            Some(&(pairs, by_then)) if pairs == self.pairs() => {
                self.next += 1;
                Ok(Some(self.look(by_then)))
            }
            _ => Ok(None),
        }
    }

    /// Pairs so far.
    pub fn pairs(&self) -> usize {
        self.ratios.len()
    }

    /// The plan.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// Whether it is decided, or all pairs are measured.
    pub fn is_over(&self) -> bool {
        self.pairs() >= self.plan.pairs() || self.last.is_some_and(|look| look.is_decided())
    }

    /// The answer. A trial that is ended before its time is looked at once more, with all the error that is left; that is
    /// fair as long as what ended it (a time budget, Ctrl-C) did not know the figures.
    pub fn finish(mut self) -> Outcome {
        let decided = self.last.is_some_and(|look| look.is_decided());
        let look = match self.last {
            Some(look) if decided || look.pairs == self.pairs() => look,
            _ => self.look(1.0 - self.plan.confidence()),
        };
        let stopped = if decided {
            Stopped::Decided
        } else if self.pairs() >= self.plan.pairs() {
            Stopped::AllPairs
        } else {
            Stopped::Early
        };
        Outcome {
            look,
            stopped,
            a: self.a,
            b: self.b,
            ratios: self.ratios,
        }
    }

    fn look(&mut self, by_then: f64) -> Look {
        let look = Look::at(
            &self.ratios,
            by_then - self.spent,
            self.plan.margin(),
            self.plan.confidence(),
        );
        self.spent = by_then;
        self.last = Some(look);
        look
    }
}
