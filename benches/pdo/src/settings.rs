//! What to measure, and how often.

use crate::tables;
use anyhow::Result;
use common::settings::Settings;
use lexopt::Parser;

const HELP: &str = "\
Compares PDO as it is with PDO under pdo_pool, on a PostgreSQL of its own.

usage: bench-pdo [--runs N] [--quick] [--only TABLE]… [--out FOLDER]

  --runs N      how often each figure is taken (15; counts 3); tables show the median and the range
  --quick       once each, with few iterations: to see that it works
  --only TABLE  only this table; may be repeated
  --out FOLDER  where pdo.md and pdo.csv go (out/bench)

environment: PHPERF_PHP and PHPERF_PHP_FPM name the PHP to measure
";

/// From the command line; nothing where it only asks for help.
pub fn from_arguments() -> Result<Option<Settings>> {
    let tables: Vec<_> = tables::ALL.iter().map(|(name, _)| *name).collect();
    Settings::parse(Parser::from_env(), HELP, 15, &tables, |_, _| Ok(false))
}
