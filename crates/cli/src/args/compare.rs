//! `phperf compare`.

use super::{Help, values};
use clap::{ArgGroup, Args as ClapArgs, ValueEnum};
use std::{ffi::OsString, path::PathBuf, time::Duration};

const EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf compare -- php old.php -- php new.php",
            "wall time of two commands",
        ),
        (
            "phperf compare --shell 'php a.php | wc' 'php b.php'",
            "two lines for sh",
        ),
        (
            "phperf compare --together --metric cpu -- ./a -- ./b",
            "both at once on one CPU, for small differences",
        ),
        (
            "phperf compare --metric instructions -- php a.php -- php b.php",
            "",
        ),
        ("phperf compare http://localhost:8080/ http://localhost:8081/", ""),
        (
            "phperf compare --fail-on-slower --markdown c.md -- php a.php -- php b.php",
            "for a pull request",
        ),
    ],
    notes: &[
        "A and B are measured in pairs, in an order that is drawn at random for each. Lower figures are better. \
The verdict is faster, slower, same within the margin, or inconclusive; it comes as soon as it is sure.",
    ],
};

/// `phperf compare`.
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, ClapArgs)]
#[command(
    after_help = EXAMPLES,
    override_usage = "phperf compare [OPTIONS] -- <A>... -- <B>...\n       \
                      phperf compare [OPTIONS] --shell <A> <B>\n       \
                      phperf compare [OPTIONS] <URL_A> <URL_B>",
    group(ArgGroup::new("what").required(true))
)]
pub struct Compare {
    /// Two addresses, http://… or https://…, which are asked without a proxy; or with --shell two lines for sh.
    #[arg(value_names = ["A", "B"], num_args = 2, group = "what")]
    pub sides: Vec<String>,
    /// Two commands with their arguments, -- between them.
    #[arg(last = true, value_name = "COMMAND", group = "what")]
    pub commands: Vec<OsString>,

    /// What to compare.
    #[arg(long, value_enum, value_name = "METRIC", default_value_t = Metric::Wall)]
    pub metric: Metric,
    /// Pairs to measure at most; 10 are the least that can tell anything [default: 60, or as many as fit into --time].
    #[arg(long, value_name = "PAIRS", value_parser = clap::value_parser!(u16).range(1..=stats::MAX_PAIRS as i64))]
    pub pairs: Option<u16>,
    /// Differences of up to so many per cent are the same.
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = values::percent)]
    pub margin: f64,
    /// Runs of each side before measuring.
    #[arg(long, value_name = "RUNS", default_value_t = 2)]
    pub warm_up: u16,
    /// Run a command so often for each figure, and count the least: what disturbs a run can only make it longer.
    #[arg(long, value_name = "RUNS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub least_of: u16,
    /// Run A and B at the same time, on one CPU, and compare their CPU time: whatever slows the CPU down meets both.
    #[arg(long, conflicts_with_all = ["least_of", "requests", "headers"])]
    pub together: bool,
    /// Measure on this CPU alone.
    #[arg(long, value_name = "CPU")]
    pub pin: Option<usize>,
    /// Take A and B as lines for sh.
    #[arg(long, requires = "sides")]
    pub shell: bool,
    /// Run this line with sh before each measurement; its time is not counted.
    #[arg(long, value_name = "LINE")]
    pub prepare: Option<String>,
    /// Measure commands that fail, too.
    #[arg(long)]
    pub ignore_failure: bool,
    /// Requests of each measurement, over one connection that is kept open.
    #[arg(long, value_name = "REQUESTS", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub requests: u16,
    /// A header of each request; may be given several times.
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = values::header)]
    pub headers: Vec<(String, String)>,
    /// How long is measured, and what becomes of it.
    #[command(flatten)]
    pub measuring: Measuring,
}

/// What all have that compare an A with a B: how long they measure, and what becomes of it.
#[derive(Clone, Debug, ClapArgs)]
pub struct Measuring {
    /// How long to measure at most, as 30, 1.5, 500ms, 2m.
    #[arg(long, value_name = "SECONDS", value_parser = values::duration)]
    pub time: Option<Duration>,
    /// The seed of all that is drawn at random [default: drawn from the clock, and shown].
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// What becomes of the answer.
    #[command(flatten)]
    pub answer: Answer,
    /// Print no progress.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Where an answer goes, and what it has to be.
#[derive(Clone, Debug, ClapArgs)]
pub struct Answer {
    /// Exit with 1 if B is slower beyond the margin.
    #[arg(long)]
    pub fail_on_slower: bool,
    /// Exit with 3 if the result is inconclusive.
    #[arg(long)]
    pub fail_on_inconclusive: bool,
    /// Write the result with every figure as JSON, too; - is standard output instead of the text.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the result as Markdown, too.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write the result as a page for a browser, too, with charts.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the result as a test report in XML, too, as CI systems show it.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

/// `--metric`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Metric {
    /// From start to end.
    Wall,
    /// CPU time, in user space and in the kernel.
    Cpu,
    /// CPU time in user space.
    User,
    /// The most memory that it held.
    MaxRss,
    /// Instructions in user space, counted by valgrind's callgrind, whatever else the machine does.
    Instructions,
}
