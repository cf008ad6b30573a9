//! `phperf top`.

use super::{Help, InC, Sampling, TargetArgs};
use clap::Args;

const EXAMPLES: Help = Help {
    examples: &[
        ("phperf top --fpm", "every PHP-FPM worker"),
        (
            "phperf top --fpm --request",
            "the same, and which pages they serve",
        ),
        (
            "phperf top -p 4242 -w 30",
            "one process, what it did in the last 30 seconds",
        ),
        (
            "phperf top -- php bin/console import >import.log",
            "a command; what it writes is only kept in a file",
        ),
    ],
    notes: &["Keys: q leaves, ? tells the others."],
};

/// `phperf top`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Top {
    /// Which processes.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// How.
    #[command(flatten)]
    pub sampling: Sampling,
    /// Tell requests apart, by method and URI: a table of them, and the functions of one.
    #[arg(long)]
    pub request: bool,
    /// What C code runs.
    #[command(flatten)]
    pub in_c: InC,
    /// Show what was seen in the last so many seconds.
    #[arg(short, long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=60))]
    pub window: u64,
    /// Print no account at the end.
    #[arg(short, long)]
    pub quiet: bool,
}
