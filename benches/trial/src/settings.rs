//! What to measure.

use anyhow::Result;
use lexopt::{Arg, Parser, ValueExt};

const HELP: &str = "\
Usage: bench-trial [--quick] [--way WAY]... [--only BAR]... [--comparisons N] [--cpu N] [--seed N]

WAY is bench or commands; BAR is same-pinned, same-busy, one (1 % more work) or two (2 % more work); all by default.
--quick makes ten comparisons for each. Pinned ones take root: they run with real-time priority on one CPU.";

/// Comparisons of each bar with --quick.
const QUICK: usize = 10;

/// The arguments.
pub struct Settings {
    ways: Vec<String>,
    only: Vec<String>,
    /// Comparisons of each bar; by default as many as the bar says.
    pub comparisons: Option<usize>,
    /// The CPU of the pinned layout.
    pub cpu: usize,
    /// Of all that is drawn.
    pub seed: u64,
}

impl Settings {
    /// `None` where only help was wanted.
    pub fn from_arguments() -> Result<Option<Self>> {
        let mut settings = Self {
            ways: Vec::new(),
            only: Vec::new(),
            comparisons: None,
            cpu: 1,
            seed: 1,
        };
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("quick") => settings.comparisons = Some(QUICK),
                Arg::Long("way") => settings.ways.push(parser.value()?.parse()?),
                Arg::Long("only") => settings.only.push(parser.value()?.parse()?),
                Arg::Long("comparisons") => {
                    settings.comparisons = Some(parser.value()?.parse::<usize>()?.max(1));
                }
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

    /// Whether a bar is wanted of a way.
    pub fn wants(&self, way: &str, bar: &str) -> bool {
        let named = |list: &[String], name| list.is_empty() || list.iter().any(|one| one == name);
        named(&self.ways, way) && named(&self.only, bar)
    }
}
