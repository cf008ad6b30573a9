//! The arguments of `bench compare` as typed.

#![allow(
    clippy::doc_markdown,
    reason = "comments become help, which is shown as it stands"
)]

use crate::{
    args::{Answer, Help, values},
    bench::args::{How, StoreAt, Which, tag},
};
use clap::Args as ClapArgs;
use std::{path::PathBuf, time::Duration};

const EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf bench compare --revision main",
            "main (A) and the working tree (B)",
        ),
        (
            "phperf bench compare --revision v1 --revision v2 --prepare 'composer i -q'",
            "two revisions; the line is run in each of them",
        ),
        ("phperf bench compare --folder ../old --folder .", ""),
        ("phperf bench compare --php-binary php8.1 --php-binary php8.2", ""),
        (
            "phperf bench compare --php-config '{}' --php-config '{\"opcache.jit\": 0}'",
            "",
        ),
        (
            "phperf bench compare --revision main --fail-on-slower --markdown c.md",
            "for a pull request",
        ),
    ],
    notes: &[
        "A and B are measured in pairs, in an order that is drawn at random for each. Each figure is of a new PHP process. \
The verdict on each subject is faster, slower, same within the margin, or inconclusive.",
    ],
};

/// `phperf bench compare`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct Compare {
    /// Which subjects.
    #[command(flatten)]
    pub which: Which,
    /// How they are sampled.
    #[command(flatten)]
    pub how: How,

    /// A revision of this git repository; twice for A and B, once for A with the working tree as B.
    #[arg(long, value_name = "REVISION", help_heading = "What to compare")]
    pub revision: Vec<String>,
    /// A folder with the suite and its code; twice, for A and B.
    #[arg(long, value_name = "FOLDER", help_heading = "What to compare")]
    pub folder: Vec<PathBuf>,
    /// The PHP to run the suite; twice, for A and B, or once for both.
    #[arg(long, value_name = "FILE", help_heading = "What to compare")]
    pub php_binary: Vec<String>,
    /// ini settings, as an object of JSON; twice, for A and B, or once for both.
    #[arg(long, value_name = "JSON", help_heading = "What to compare")]
    pub php_config: Vec<String>,
    /// Run this line with sh in each revision's folder first; $PHPERF_PROJECT is the folder of the working tree.
    #[arg(
        long,
        value_name = "LINE",
        requires = "revision",
        help_heading = "What to compare"
    )]
    pub prepare: Option<String>,

    /// Pairs of each subject to measure at most; 10 are the least that can tell anything.
    #[arg(long, value_name = "PAIRS", default_value_t = trial::Plan::PAIRS as u16, value_parser = clap::value_parser!(u16).range(1..=stats::MAX_PAIRS as i64), help_heading = "How much to measure")]
    pub pairs: u16,
    /// How long to measure at most, all subjects together, as 30, 500ms, 2m.
    #[arg(long, value_name = "SECONDS", value_parser = values::duration, help_heading = "How much to measure")]
    pub time: Option<Duration>,
    /// Differences of up to so many per cent are the same.
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = values::percent, help_heading = "How much to measure")]
    pub margin: f64,
    /// Measure on this CPU alone.
    #[arg(long, value_name = "CPU", help_heading = "How much to measure")]
    pub pin: Option<usize>,
    /// The seed of all that is drawn at random [default: drawn from the clock, and shown].
    #[arg(long, value_name = "SEED", help_heading = "How much to measure")]
    pub seed: Option<u64>,

    /// Keep the comparison.
    #[arg(long, help_heading = "Runs that are kept")]
    pub store: bool,
    /// Keep the comparison under a name.
    #[arg(long, value_name = "NAME", value_parser = tag, help_heading = "Runs that are kept")]
    pub tag: Option<String>,
    /// Where comparisons are kept.
    #[command(flatten)]
    pub store_at: StoreAt,

    /// What becomes of the answer.
    #[command(flatten)]
    pub answer: Answer,
    /// Print no progress.
    #[arg(short, long)]
    pub quiet: bool,
}
