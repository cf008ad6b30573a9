//! An estimate, and the interval around it.

/// A range that holds the true value with a probability of at least `level`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its low end.
    pub low: f64,
    /// Its high end.
    pub high: f64,
    /// The probability, such as 0.99. It is what the method reaches, which may be less than what was asked for where
    /// there are too few figures.
    pub level: f64,
}

impl Interval {
    /// Whether the value lies in it, its ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Half its width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Each end through a function that grows, such as `f64::exp`.
    #[must_use]
    pub fn map(self, grow: impl Fn(f64) -> f64) -> Self {
        Self {
            low: grow(self.low),
            high: grow(self.high),
            level: self.level,
        }
    }
}

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The best guess.
    pub value: f64,
    /// What it may be as well.
    pub interval: Interval,
}

impl Estimate {
    /// Value and ends through a function that grows.
    #[must_use]
    pub fn map(self, grow: impl Fn(f64) -> f64) -> Self {
        Self {
            value: grow(self.value),
            interval: self.interval.map(grow),
        }
    }
}
