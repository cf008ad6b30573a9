//! What to measure, and how often.

use crate::{profiler::Profiler, tables};
use anyhow::{Result, bail};
use lexopt::{Arg, Parser, ValueExt};
use std::{env, path::PathBuf};

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
    /// How often each figure is taken.
    pub runs: usize,
    /// Short windows.
    pub quick: bool,
    only: Vec<String>,
    profilers: Vec<Profiler>,
    /// The phperf to measure.
    pub phperf: PathBuf,
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
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        let mut settings = Self {
            runs: 5,
            quick: false,
            only: Vec::new(),
            profilers: Vec::new(),
            phperf: env::var_os("PHPERF").map_or_else(|| target.join("release/phperf"), PathBuf::from),
            out: "out/bench".into(),
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("runs") => runs = Some(parser.value()?.parse()?),
                Arg::Long("quick") => settings.quick = true,
                Arg::Long("only") => settings.only.push(parser.value()?.string()?),
                Arg::Long("profiler") => {
                    let name = parser.value()?.string()?;
                    let Some(profiler) = Profiler::ALL.into_iter().find(|it| it.key() == name) else {
                        bail!("no profiler {name}: try kernel, reader or phpspy");
                    };
                    settings.profilers.push(profiler);
                }
                Arg::Long("phperf") => settings.phperf = parser.value()?.into(),
                Arg::Long("out") => settings.out = parser.value()?.into(),
                Arg::Long("help") | Arg::Short('h') => {
                    let names: Vec<_> = tables::ALL.iter().map(|(name, _)| *name).collect();
                    println!("{HELP}\ntables: {}", names.join(", "));
                    return Ok(None);
                }
                other => return Err(other.unexpected().into()),
            }
        }
        for name in &settings.only {
            if !tables::ALL.iter().any(|(known, _)| known == name) {
                bail!("no table {name}: --help lists them");
            }
        }
        settings.runs = runs.unwrap_or(if settings.quick { 1 } else { 5 }).max(1);
        Ok(Some(settings))
    }

    /// Whether the table of this name was asked for.
    pub fn wants(&self, table: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == table)
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
    fn quick_is_once_unless_said_otherwise() {
        assert_eq!(parse(&["--quick"]).unwrap().unwrap().runs, 1);
        assert_eq!(parse(&["--quick", "--runs", "3"]).unwrap().unwrap().runs, 3);
        assert_eq!(parse(&[]).unwrap().unwrap().runs, 5);
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
