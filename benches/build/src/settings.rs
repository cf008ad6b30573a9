//! What to measure.

use anyhow::Result;
use lexopt::{Arg, Parser, ValueExt};

const HELP: &str = "\
Usage: bench-build [--pairs N [--fixed]] [--minutes N] [--only WORD]… [--cpu N] [--seed N]

Builds Debian 12's PHP 8.2 with `phperf build` in a root of its own, and measures it on WordPress and DokuWiki. As root; the
first time takes an hour, later ones build nothing again. --only takes the comparisons whose row contains WORD, and builds
what these need: 'front page', 'front page | Debian | trained', 'plain, huge', 'bench.php', 'not trained on'. A pair takes some
6 s (of bench.php, half a minute); each comparison takes --pairs of them, 40 at most, less once it is clear; with --fixed as many
as that, so that the interval is narrow where the difference is large, too. --minutes ends the measuring, whatever was shown by then. All that is measured runs on one CPU: what that does to one side, it does to the other.

Rows with huge memory set pages of 2 MB aside while they are measured (vm.nr_hugepages); other PHPs that start meanwhile may take them.
After Ctrl-C they are still there: set the number back.

Rows with BOLT need llvm-bolt 21 or later on the PATH inside of that root. Debian 12's is older, so put one there, or do without.";

/// The arguments.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Pairs of each comparison at most.
    pub pairs: usize,
    /// Whether all of them are measured.
    pub fixed: bool,
    /// How long is measured at most.
    pub minutes: Option<u64>,
    /// Parts of rows.
    pub only: Vec<String>,
    /// The CPU to measure on.
    pub cpu: usize,
    /// Of all that is drawn.
    pub seed: u64,
    /// Whether this runs inside of the root, and measures what is there.
    pub inside: bool,
}

/// What [`Settings::inside`] is on the command line.
const INSIDE: &str = "inside";

impl Settings {
    /// `None` where only help was wanted.
    pub fn from_arguments() -> Result<Option<Self>> {
        let mut settings = Self {
            pairs: 40,
            fixed: false,
            minutes: None,
            only: Vec::new(),
            cpu: 1,
            seed: 1,
            inside: false,
        };
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("pairs") => settings.pairs = parser.value()?.parse()?,
                Arg::Long("fixed") => settings.fixed = true,
                Arg::Long("minutes") => settings.minutes = Some(parser.value()?.parse()?),
                Arg::Long("only") => settings.only.push(parser.value()?.string()?),
                Arg::Long("cpu") => settings.cpu = parser.value()?.parse()?,
                Arg::Long("seed") => settings.seed = parser.value()?.parse()?,
                Arg::Long(INSIDE) => settings.inside = true,
                Arg::Short('h') | Arg::Long("help") => {
                    println!("{HELP}");
                    return Ok(None);
                }
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(Some(settings))
    }

    /// The same as arguments, for a start inside of the root.
    pub fn for_inside(&self) -> Vec<String> {
        let mut arguments = vec![
            format!("--{INSIDE}"),
            format!("--pairs={}", self.pairs),
            format!("--seed={}", self.seed),
        ];
        arguments.extend(self.fixed.then(|| "--fixed".to_owned()));
        arguments.extend(self.minutes.map(|minutes| format!("--minutes={minutes}")));
        arguments.extend(self.only.iter().map(|word| format!("--only={word}")));
        arguments
    }

    /// Whether a row is wanted.
    pub fn wants(&self, row: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| row.contains(word))
    }
}
