//! What to measure.

use anyhow::Result;
use lexopt::{Arg, Parser, ValueExt};

const HELP: &str = "\
Usage: bench-trial [--only BAR]... [--comparisons N] [--pairs N] [--rounds N] [--slices N] [--cpu N] [--seed N]

BAR is same-pinned, same-busy, one (1 % more work) or two (2 % more work); all by default.
The pinned ones take root: they run with real-time priority on one CPU.";

/// The arguments.
pub struct Settings {
    only: Vec<String>,
    /// Comparisons of each bar; by default as many as the bar says.
    pub comparisons: Option<usize>,
    /// Pairs of each comparison at most.
    pub pairs: usize,
    /// Rounds of work in each slice.
    pub rounds: u64,
    /// Slices of a figure, which is the least of them.
    pub slices: u64,
    /// The CPU of the pinned layout.
    pub cpu: usize,
    /// Of all that is drawn.
    pub seed: u64,
}

impl Settings {
    /// `None` where only help was wanted.
    pub fn from_arguments() -> Result<Option<Self>> {
        let mut settings = Self {
            only: Vec::new(),
            comparisons: None,
            pairs: 60,
            rounds: 200,
            slices: 100,
            cpu: 1,
            seed: 1,
        };
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("only") => settings.only.push(parser.value()?.parse()?),
                Arg::Long("comparisons") => {
                    settings.comparisons = Some(parser.value()?.parse::<usize>()?.max(1));
                }
                Arg::Long("pairs") => settings.pairs = parser.value()?.parse()?,
                Arg::Long("rounds") => settings.rounds = parser.value()?.parse()?,
                Arg::Long("slices") => settings.slices = parser.value()?.parse()?,
                Arg::Long("cpu") => settings.cpu = parser.value()?.parse()?,
                Arg::Long("seed") => settings.seed = parser.value()?.parse()?,
                Arg::Short('h') | Arg::Long("help") => {
                    println!("{HELP}");
                    return Ok(None);
                }
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(Some(settings))
    }

    /// Whether a bar is wanted.
    pub fn wants(&self, key: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == key)
    }
}
