//! What to measure, and how often.

use crate::tables;
use anyhow::{Result, bail};
use lexopt::{Arg, Parser, ValueExt};
use std::path::PathBuf;

const HELP: &str = "\
Compares PDO as it is with PDO under pdo_pool, on a PostgreSQL of its own.

usage: bench-pdo [--runs N] [--quick] [--only TABLE]… [--out FOLDER]

  --runs N      how often each figure is taken (15; counts 3); tables show the median and the range
  --quick       once each, with few iterations: to see that it works
  --only TABLE  only this table; may be repeated
  --out FOLDER  where pdo.md and pdo.csv go (out/bench)

environment: PHPERF_PHP and PHPERF_PHP_FPM name the PHP to measure
";

/// What to measure, and how often.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How often a time is taken.
    pub runs: usize,
    /// Few iterations.
    pub quick: bool,
    only: Vec<String>,
    /// Where the results go.
    pub out: PathBuf,
}

impl Settings {
    /// From the command line; nothing where it only asks for help.
    pub fn from_arguments() -> Result<Option<Self>> {
        Self::parse(Parser::from_env())
    }

    fn parse(mut parser: Parser) -> Result<Option<Self>> {
        let mut runs = None;
        let mut settings = Self {
            runs: 15,
            quick: false,
            only: Vec::new(),
            out: "out/bench".into(),
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("runs") => runs = Some(parser.value()?.parse()?),
                Arg::Long("quick") => settings.quick = true,
                Arg::Long("only") => {
                    let name = parser.value()?.string()?;
                    if !tables::ALL.iter().any(|(known, _)| *known == name) {
                        bail!("no table {name}: --help lists them");
                    }
                    settings.only.push(name);
                }
                Arg::Long("out") => settings.out = parser.value()?.into(),
                Arg::Long("help") | Arg::Short('h') => {
                    let names: Vec<_> = tables::ALL.iter().map(|(name, _)| *name).collect();
                    println!("{HELP}\ntables: {}", names.join(", "));
                    return Ok(None);
                }
                other => return Err(other.unexpected().into()),
            }
        }
        settings.runs = runs.unwrap_or(if settings.quick { 1 } else { 15 }).max(1);
        Ok(Some(settings))
    }

    /// Whether the table of this name was asked for.
    pub fn wants(&self, table: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == table)
    }

    /// How often something is counted that hardly differs from run to run.
    pub fn counts(&self) -> usize {
        self.runs.min(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Settings>> {
        Settings::parse(Parser::from_args(arguments))
    }

    #[test]
    fn quick_is_once_unless_said_otherwise() {
        assert_eq!(parse(&["--quick"]).unwrap().unwrap().runs, 1);
        let five = parse(&["--quick", "--runs", "5"]).unwrap().unwrap();
        assert_eq!((five.runs, five.counts()), (5, 3));
    }

    #[test]
    fn only_known_tables() {
        let settings = parse(&["--only", "time"]).unwrap().unwrap();
        assert!(settings.wants("time") && !settings.wants("calls"));
        assert!(parse(&["--only", "nothing"]).is_err());
    }
}
