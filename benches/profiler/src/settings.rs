//! What to measure, and how often.

use crate::{profiler::Profiler, tables};
use anyhow::{Result, bail};
use lexopt::{Parser, ValueExt};
use std::{env, ops::Deref, path::PathBuf};

const HELP: &str = "\
Compares phperf's two sources of stacks with each other, with the wall clock and with phpspy.

usage: bench-profiler [--runs N] [--quick] [--only TABLE]… [--profiler NAME]… [--phperf PATH] [--out FOLDER]

  --runs N         how often each figure is taken (5); tables show the median and the range
  --quick          once each, with short windows: to see that it works
  --only TABLE     only this table; may be repeated
  --profiler NAME  only this one of kernel, reader, phpspy; may be repeated
  --phperf PATH    the phperf to measure (target/release/phperf, or $PHPERF)
  --out FOLDER     where profiler.md and profiler.csv go (out/bench)

environment: PHPSPY=PATH adds phpspy's columns; PHPERF_PHP and PHPERF_PHP_FPM name the PHP to profile
";

/// What to measure, and how often.
#[derive(Clone, Debug)]
pub struct Settings {
    shared: common::settings::Settings,
    profilers: Vec<Profiler>,
    /// The phperf to measure.
    pub phperf: PathBuf,
}

/// What every benchmark has.
impl Deref for Settings {
    type Target = common::settings::Settings;

    fn deref(&self) -> &Self::Target {
        &self.shared
    }
}

impl Settings {
    /// From the command line; nothing where it only asks for help.
    pub fn from_arguments() -> Result<Option<Self>> {
        Self::parse(Parser::from_env())
    }

    fn parse(parser: Parser) -> Result<Option<Self>> {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        let mut phperf = env::var_os("PHPERF").map_or_else(|| target.join("release/phperf"), PathBuf::from);
        let mut profilers = Vec::new();
        let tables: Vec<_> = tables::ALL.iter().map(|(name, _)| *name).collect();
        let shared = common::settings::Settings::parse(parser, HELP, 5, &tables, |name, parser| {
            match name {
                "phperf" => phperf = parser.value()?.into(),
                "profiler" => {
                    let name = parser.value()?.string()?;
                    let Some(profiler) = Profiler::ALL.into_iter().find(|it| it.key() == name) else {
                        bail!("no profiler {name}: try kernel, reader or phpspy");
                    };
                    profilers.push(profiler);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(shared.map(|shared| Self {
            shared,
            profilers,
            phperf,
        }))
    }

    /// Whether this profiler was asked for.
    pub fn wants_profiler(&self, profiler: Profiler) -> bool {
        self.profilers.is_empty() || self.profilers.contains(&profiler)
    }

    /// A window in seconds: `full`, or a short one.
    pub fn window(&self, full: f64) -> f64 {
        if self.quick { (full / 4.0).max(1.0) } else { full }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Settings>> {
        Settings::parse(Parser::from_args(arguments))
    }

    #[test]
    fn only_known_tables_and_profilers() {
        let settings = parse(&["--only", "due", "--profiler", "reader"])
            .unwrap()
            .unwrap();
        assert!(settings.wants("due") && !settings.wants("lines"));
        assert!(!settings.wants_profiler(Profiler::Phpspy));
        assert!(parse(&["--only", "nothing"]).is_err());
        assert!(parse(&["--profiler", "nothing"]).is_err());
    }
}
