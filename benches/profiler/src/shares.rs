//! How often each function was the innermost one.

use std::collections::HashMap;

/// Counts by name.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    counts: HashMap<String, u64>,
    total: u64,
}

impl Shares {
    /// Counts one more.
    pub fn add(&mut self, name: &str) {
        self.total += 1;
        if let Some(count) = self.counts.get_mut(name) {
            *count += 1;
        } else {
            self.counts.insert(name.into(), 1);
        }
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        self.total += other.total;
        for (name, count) in &other.counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
    }

    /// How many were counted.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The total variation distance: the share of samples that would have to change their function to turn one
    /// distribution into the other. 0 is the same, 1 has nothing in common.
    pub fn distance(&self, other: &Self) -> f64 {
        let share =
            |of: &Self, name: &str| of.counts.get(name).copied().unwrap_or(0) as f64 / of.total.max(1) as f64;
        let names = self.counts.keys().chain(
            other
                .counts
                .keys()
                .filter(|name| !self.counts.contains_key(*name)),
        );
        names
            .map(|name| (share(self, name) - share(other, name)).abs())
            .sum::<f64>()
            / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(names: &str) -> Shares {
        let mut shares = Shares::default();
        for name in names.split(' ') {
            shares.add(name);
        }
        shares
    }

    #[test]
    fn distance_is_the_share_that_moved() {
        assert!(shares("a b").distance(&shares("b a a b")).abs() < 1e-9);
        assert!((shares("a b").distance(&shares("c d")) - 1.0).abs() < 1e-9);
        assert!((shares("a a a b").distance(&shares("a b b b")) - 0.5).abs() < 1e-9);
        let mut both = shares("a");
        both.merge(&shares("b"));
        assert_eq!(both.total(), 2);
        assert!(both.distance(&shares("a b")).abs() < 1e-9);
    }
}
