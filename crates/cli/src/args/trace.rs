//! `phperf trace`.

use super::{Circumstances, End, Filter, Help, InC, Sampling, TargetArgs, Variables};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf trace -p 4242",
            "each stack as it comes, as phpspy prints it",
        ),
        ("phperf trace --fpm -1 | grep PDO", "one line a stack"),
        ("phperf trace -p 4242 -H 5 --function '^PDO::'", ""),
        (
            "phperf trace --fpm --peek sql@src/Db.php:40-60 --global server.REQUEST_URI",
            "with what these hold",
        ),
    ],
    notes: &["A link to phperf that is named phpspy takes phpspy's own options: docs/phpspy.md."],
};

/// `phperf trace`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Trace {
    /// Which processes.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// How.
    #[command(flatten)]
    pub sampling: Sampling,
    /// What besides stacks.
    #[command(flatten)]
    pub circumstances: Circumstances,
    /// What C code runs.
    #[command(flatten)]
    pub in_c: InC,
    /// When it ends.
    #[command(flatten)]
    pub end: End,
    /// What variables hold.
    #[command(flatten)]
    pub variables: Variables,
    /// Print each stack in one line, with a tab after each frame.
    #[arg(short = '1', long)]
    pub single_line: bool,
    /// Where to write; - is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// What is printed; the account is of all samples.
    #[command(flatten)]
    pub filter: Filter,
    /// Print no account at the end.
    #[arg(short, long)]
    pub quiet: bool,
}
