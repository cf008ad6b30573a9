//! Commands that read saved profiles.

use super::Help;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const REPORT_EXAMPLES: Help = Help {
    examples: &[
        ("phperf report phperf-fpm-20261121T210000Z.svg", ""),
        (
            "phperf report slow.pb.gz --focus pid=4242 --focus state=blocked",
            "",
        ),
        (
            "phperf report fpm.pb.gz --by uri --focus state=waiting",
            "which requests wait, and in what",
        ),
        ("phperf report slow.folded --format json | jq '.functions[0]'", ""),
    ],
    notes: &[],
};

/// `phperf report`.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct Report {
    /// A profile that phperf saved, in any of its formats.
    #[arg(id = "profile", value_name = "PROFILE")]
    pub file: PathBuf,
    /// How to show it.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    pub format: Shape,
    /// Part the samples by a label instead of listing functions: pid, thread, state; method, uri, script, query,
    /// cookie, began (record --request); wait, syscall, file, peer.
    #[arg(long, value_name = "LABEL", value_parser = super::values::by)]
    pub by: Option<export::By>,
    /// What counts.
    #[command(flatten)]
    pub selection: Selection,
    /// How many functions, or values of the label, to show as text; 0 is all.
    #[arg(short = 'n', long, value_name = "FUNCTIONS", default_value_t = 30)]
    pub top: usize,
}

/// Which samples count.
#[derive(Debug, Args)]
pub struct Selection {
    /// Count only samples with this label, such as state=waiting or uri~^/cart (a regular expression); may be given
    /// several times.
    #[arg(long, value_name = "LABEL=VALUE")]
    pub focus: Vec<String>,
    /// Which stacks.
    #[command(flatten)]
    pub filter: Filter,
}

/// Which stacks count.
#[derive(Debug, Args)]
pub struct Filter {
    /// Keep only samples with a function like this anywhere on the stack.
    #[arg(long, value_name = "REGEX")]
    pub function: Option<String>,
    /// Keep only samples with a function of a file like this anywhere on the stack.
    #[arg(long, value_name = "REGEX")]
    pub file: Option<String>,
    /// Drop samples with a function or a file like this anywhere on the stack.
    #[arg(long, value_name = "REGEX")]
    pub ignore: Option<String>,
}

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    /// A table.
    Text,
    /// All of it, for programs: docs/formats.md.
    Json,
}

const DIFF_EXAMPLES: Help = Help {
    examples: &[
        ("phperf diff before.pb.gz after.pb.gz", ""),
        (
            "phperf diff before.svg after.svg -o diff.svg --focus state=on-cpu",
            "",
        ),
        (
            "phperf diff a.pb.gz b.pb.gz --by time --format json | jq '.functions[0]'",
            "",
        ),
    ],
    notes: &[],
};

/// `phperf diff`.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub struct Diff {
    /// The profile before, in any format of phperf.
    pub a: PathBuf,
    /// The profile after; the two need not be in one format.
    pub b: PathBuf,
    /// Draw a flame graph, too: as wide as B, red where B takes more, blue where it takes less.
    #[arg(short, long, value_name = "FILE.svg")]
    pub output: Option<PathBuf>,
    /// How to show it.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    pub format: Shape,
    /// What shares are shares of.
    #[arg(long, value_enum, default_value_t = By::Samples)]
    pub by: By,
    /// What counts.
    #[command(flatten)]
    pub selection: Selection,
    /// How many functions to show as text; 0 is all.
    #[arg(short = 'n', long, value_name = "FUNCTIONS", default_value_t = 30)]
    pub top: usize,
}

/// `diff --by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// All samples of each: where its time goes.
    Samples,
    /// The time for which each was recorded: how much time goes there.
    Time,
}

const CONVERT_EXAMPLES: Help = Help {
    examples: &[
        ("phperf convert slow.svg -o slow.pb.gz", ""),
        (
            "phperf convert slow.pb.gz -o slow.callgrind && kcachegrind slow.callgrind",
            "",
        ),
        (
            "phperf convert all.pb.gz -o db.svg --function '^PDO' --ignore Migration",
            "",
        ),
    ],
    notes: &[],
};

/// `phperf convert`.
#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct Convert {
    /// A saved profile, in any format that phperf reads: svg (its own), pprof, speedscope, folded, phpspy.
    #[arg(id = "profile", value_name = "PROFILE")]
    pub file: PathBuf,
    /// Where to write; - is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The format [default: from the ending of FILE].
    #[arg(short, long, value_name = "FORMAT", value_parser = super::values::format)]
    pub format: Option<export::Format>,
    /// What is kept.
    #[command(flatten)]
    pub selection: Selection,
}
