//! Noise as machines make it: what one measurement after the other is multiplied with.

use fastrand::Rng;
use std::f64::consts::TAU;

/// A kind of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Normal, 1 %, each figure by itself: a CPU of one's own.
    Quiet,
    /// As quiet, and one figure in seven is interrupted: it takes 5 to 100 % longer, more often little than much.
    Interrupted,
    /// Tails without a mean: the quotient of two normal figures.
    Wild,
    /// As quiet, with .4 %, and one process in eight lies where it is 6 % slower.
    Unlucky,
    /// Each figure much like the one before (autocorrelation 0.97), 20 % up and down.
    Wandering,
    /// A neighbour that comes and goes: while it is there, for 20 figures or so, all takes up to two times as long.
    Neighbour,
    /// 50 % slower at the end than at the start, and whatever is measured second in a pair is 5 % slower.
    Drifting,
}

impl Noise {
    pub const ALL: [Self; 7] = [
        Self::Quiet,
        Self::Interrupted,
        Self::Unlucky,
        Self::Wild,
        Self::Wandering,
        Self::Neighbour,
        Self::Drifting,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Interrupted => "interrupted",
            Self::Unlucky => "unlucky",
            Self::Wild => "wild",
            Self::Wandering => "wandering",
            Self::Neighbour => "neighbour",
            Self::Drifting => "drifting",
        }
    }
}

/// Figures of something that takes 1, in the order in which they are measured.
pub struct Machine {
    noise: Noise,
    rng: Rng,
    measured: u32,
    level: f64,
    is_busy: bool,
}

impl Machine {
    pub fn new(noise: Noise, seed: u64) -> Self {
        Self {
            noise,
            rng: Rng::with_seed(seed),
            measured: 0,
            level: 0.0,
            is_busy: false,
        }
    }

    /// The next figure.
    pub fn figure(&mut self) -> f64 {
        let place = self.measured;
        self.measured += 1;
        let quiet = self.normal() * 0.01;
        let log = match self.noise {
            Noise::Interrupted if self.rng.u8(..7) == 0 => {
                quiet + 0.05 * self.rng.f64().max(1e-3).powf(-0.45)
            }
            Noise::Quiet | Noise::Interrupted => quiet,
            Noise::Unlucky => quiet * 0.4 + f64::from(self.rng.u8(..8) == 0) * 0.06,
            Noise::Wild => (self.normal() / self.normal() * 0.01).clamp(-20.0, 20.0),
            Noise::Wandering => {
                self.level = 0.97 * self.level + 0.05 * self.normal();
                quiet + self.level
            }
            Noise::Neighbour => {
                self.is_busy ^= self.rng.u8(..20) == 0;
                quiet + f64::from(self.is_busy) * self.rng.f64() * std::f64::consts::LN_2
            }
            Noise::Drifting => quiet + f64::from(place) / 120.0 * 0.4 + f64::from(place % 2) * 0.05,
        };
        log.exp()
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.rng.f64().max(1e-300).ln()).sqrt();
        radius * (TAU * self.rng.f64()).cos()
    }
}
