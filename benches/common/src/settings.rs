//! What the command line of every benchmark takes.

use anyhow::{Result, bail};
use lexopt::{Arg, Parser, ValueExt};
use std::path::PathBuf;

/// What to measure, and how often.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How often a figure is taken.
    pub runs: usize,
    /// Once each, and short: to see that it works.
    pub quick: bool,
    only: Vec<String>,
    /// Where the results go.
    pub out: PathBuf,
}

impl Settings {
    /// Reads `--runs`, `--quick`, `--only`, `--out` and `--help`; nothing where it only asks for help. `runs` is how
    /// often by default, `tables` the names that there are. `own` takes the other long options, by their name; false
    /// where it knows none of that name.
    pub fn parse(
        mut parser: Parser,
        help: &str,
        runs: usize,
        tables: &[&str],
        mut own: impl FnMut(&str, &mut Parser) -> Result<bool>,
    ) -> Result<Option<Self>> {
        let mut given = None;
        let mut settings = Self {
            runs,
            quick: false,
            only: Vec::new(),
            out: "out/bench".into(),
        };
        while let Some(argument) = parser.next()? {
            let name = match argument {
                Arg::Short('h') => "help".to_owned(),
                Arg::Long(name) => name.to_owned(),
                other => return Err(other.unexpected().into()),
            };
            match name.as_str() {
                "runs" => given = Some(parser.value()?.parse()?),
                "quick" => settings.quick = true,
                "only" => settings.only.push(parser.value()?.string()?),
                "out" => settings.out = parser.value()?.into(),
                "help" => {
                    println!("{help}\ntables: {}", tables.join(", "));
                    return Ok(None);
                }
                other if own(other, &mut parser)? => {}
                other => return Err(Arg::Long(other).unexpected().into()),
            }
        }
        if let Some(name) = settings.only.iter().find(|name| !tables.contains(&name.as_str())) {
            bail!("no table {name}: --help lists them");
        }
        settings.runs = given.unwrap_or(if settings.quick { 1 } else { runs }).max(1);
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
        Settings::parse(
            Parser::from_args(arguments),
            "",
            15,
            &["time", "calls"],
            |name, parser| {
                Ok(match name {
                    "own" => parser.value()?.string()? == "value",
                    _ => false,
                })
            },
        )
    }

    #[test]
    fn quick_is_once_unless_said_otherwise() {
        assert_eq!(parse(&[]).unwrap().unwrap().runs, 15);
        assert_eq!(parse(&["--quick"]).unwrap().unwrap().runs, 1);
        let five = parse(&["--quick", "--runs", "5"]).unwrap().unwrap();
        assert_eq!((five.runs, five.counts()), (5, 3));
    }

    #[test]
    fn only_known_tables_and_options() {
        let settings = parse(&["--only", "time", "--own", "value"]).unwrap().unwrap();
        assert!(settings.wants("time") && !settings.wants("calls"));
        assert!(parse(&["--only", "nothing"]).is_err());
        assert!(parse(&["--nothing"]).is_err());
        assert!(parse(&["time"]).is_err());
    }
}
