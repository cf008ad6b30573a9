//! The arguments of `bench` as typed: `PHPBench`'s names.

#![allow(
    clippy::doc_markdown,
    reason = "comments become help, which is shown as it stands"
)]

mod base;
mod kept;

pub use base::Base;
pub use kept::{Export, Import, Log, Show, StoreAt};

use crate::args::{Help, values};
use bench::store::Reference;
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: Help = Help {
    examples: &[
        ("phperf bench run", "the suite that phpbench.json names"),
        (
            "phperf bench run tests/Benchmark --filter Md5",
            "subjects whose Class::name matches",
        ),
        ("phperf bench run --report default -o csv", "every sample"),
        (
            "phperf bench run --opcache jit --json jit.json",
            "keep all figures for other tools",
        ),
        (
            "phperf bench run --executor instructions",
            "count instructions instead of time",
        ),
        (
            "phperf bench run --executor profile",
            "a flame graph of each subject",
        ),
        ("phperf bench run --tag main", "keep the run under a name"),
        ("phperf bench run --ref main --report benchmark_compare", ""),
    ],
    notes: &[],
};

/// `phperf bench`.
#[derive(Debug, ClapArgs)]
pub struct Bench {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs of `bench`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a PHPBench suite and report what it costs.
    Run(Box<Run>),
    /// Tell whether a suite is faster or slower with another revision, folder, PHP or ini.
    Compare(Box<super::compare::args::Compare>),
    /// List the runs that are kept, or show a subject over them.
    Log(Log),
    /// Report a run that is kept.
    Show(Show),
    /// Write a run that is kept as PHPBench's XML, or a comparison as JSON.
    Export(Export),
    /// Keep the runs of files that PHPBench wrote (--dump-file, or its storage), and runs and comparisons of --json.
    Import(Import),
}

/// Which subjects, of which suite.
#[derive(Debug, ClapArgs)]
pub struct Which {
    /// Files and folders with benchmarks [default: runner.path of the configuration].
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Where settings are read.
    #[command(flatten)]
    pub base: Base,
    /// A script to load first, such as vendor/autoload.php.
    #[arg(short, long, value_name = "FILE", help_heading = "Settings")]
    pub bootstrap: Option<String>,

    /// Only subjects whose Class::subject matches this regular expression; may be given several times.
    #[arg(long, value_name = "REGEX", help_heading = "Which subjects")]
    pub filter: Vec<String>,
    /// Only parameter sets whose name matches this regular expression; may be given several times.
    #[arg(long, value_name = "REGEX", help_heading = "Which subjects")]
    pub variant: Vec<String>,
    /// Only subjects of this group; may be given several times.
    #[arg(long, value_name = "GROUP", help_heading = "Which subjects")]
    pub group: Vec<String>,
    /// Parameters instead of the suite's, as an object of JSON.
    #[arg(long, value_name = "JSON", help_heading = "Which subjects")]
    pub parameters: Option<String>,
}

/// How every subject is sampled, and by which PHP.
#[derive(Debug, ClapArgs)]
pub struct How {
    /// Calls within a sample [default: the suite's, else found by a pilot]; several make several variants.
    #[arg(long, value_name = "NUMBER", help_heading = "How to sample")]
    pub revs: Vec<u64>,
    /// Calls before each sample that do not count.
    #[arg(long, value_name = "NUMBER", help_heading = "How to sample")]
    pub warmup: Vec<u64>,
    /// How to sample: hrtime, hrtime_no_loop, microtime, memory, cpu, instructions, profile, or a configured one.
    #[arg(long, value_name = "NAME", help_heading = "How to sample")]
    pub executor: Option<String>,
    /// What counts instructions for the executor instructions [default: auto, the CPU's counter where it can be used].
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "How to sample")]
    pub counter: Option<Counter>,
    /// A command to put before PHP, such as 'taskset -c 1'.
    #[arg(long, value_name = "COMMAND", help_heading = "PHP")]
    pub php_wrapper: Option<String>,
    /// Do not read php.ini.
    #[arg(long, help_heading = "PHP")]
    pub php_disable_ini: bool,
    /// The state of opcache [default: as PHP's own settings say].
    #[arg(long, value_enum, value_name = "STATE", help_heading = "PHP")]
    pub opcache: Option<Opcache>,
}

/// `phperf bench run`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Run {
    /// Which subjects.
    #[command(flatten)]
    pub which: Which,
    /// How they are sampled.
    #[command(flatten)]
    pub how: How,

    /// Samples of each variant [default: the suite's, else 10].
    #[arg(long, value_name = "NUMBER", help_heading = "How to sample")]
    pub iterations: Vec<u32>,
    /// Take another sample for one that is further from the median, a limited number of times; all are kept.
    #[arg(short, long, value_name = "PERCENT", help_heading = "How to sample")]
    pub retry_threshold: Option<f64>,
    /// Time between samples.
    #[arg(long, value_name = "MICROSECONDS", help_heading = "How to sample")]
    pub sleep: Option<u64>,
    /// How samples are kept apart: a fork of a warm process for each, or a PHP of its own.
    #[arg(long, value_enum, value_name = "HOW", help_heading = "How to sample")]
    pub isolation: Option<Isolation>,

    /// The PHP to run the suite.
    #[arg(long, value_name = "FILE", help_heading = "PHP")]
    pub php_binary: Option<String>,
    /// ini settings, as an object of JSON.
    #[arg(long, value_name = "JSON", help_heading = "PHP")]
    pub php_config: Option<String>,
    /// What must hold for each variant, such as 'mode(variant.time.avg) < 10 ms'; instead of the suite's.
    #[arg(long, value_name = "EXPRESSION", help_heading = "What to demand")]
    pub assert: Vec<String>,
    /// Stop at the first failure.
    #[arg(long, help_heading = "What to demand")]
    pub stop_on_error: bool,
    /// End with 0 although something failed.
    #[arg(long, help_heading = "What to demand")]
    pub tolerate_failure: bool,

    /// Reports: aggregate, default, memory, bare, overview, env, benchmark_compare, a configured one, or JSON; several are possible.
    #[arg(long, value_name = "NAME", help_heading = "What to show")]
    pub report: Vec<String>,
    /// How to write reports: console, csv, delimited, json, html, a configured one, or JSON; or a file that ends in .html, as with --html [default: console].
    #[arg(short, long, value_name = "NAME", help_heading = "What to show")]
    pub output: Vec<String>,
    /// Write the whole suite, every sample, as JSON; - is standard output.
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    pub json: Option<PathBuf>,
    /// Write a page for a browser, with every sample and the history of the runs that are kept.
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    pub html: Option<PathBuf>,
    /// The folder for the flame graphs of the executor profile, one of each variant.
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = "phperf-profiles",
        help_heading = "What to show"
    )]
    pub record_to: PathBuf,
    /// What the executor profile writes, as `phperf record -f` has it; several are possible.
    #[arg(long, value_name = "FORMAT", value_parser = values::format, default_value = "svg", help_heading = "What to show")]
    pub record_format: Vec<export::Format>,
    /// Progress: verbose, dots, plain, histogram, blinken (a bar for each sample), json or none [default: verbose on a terminal, else plain].
    #[arg(short = 'l', long, value_name = "NAME", help_heading = "What to show")]
    pub progress: Option<String>,
    /// The expression that progress shows of a variant.
    #[arg(long, value_name = "EXPRESSION", help_heading = "What to show")]
    pub format: Option<String>,
    /// Unit of time instead of the suite's, such as milliseconds.
    #[arg(long, value_name = "UNIT", help_heading = "What to show")]
    pub time_unit: Option<String>,
    /// Digits after the point instead of the suite's.
    #[arg(long, value_name = "DIGITS", value_parser = clap::value_parser!(u8).range(0..=20), help_heading = "What to show")]
    pub precision: Option<u8>,
    /// Show time, or revolutions per unit of time.
    #[arg(long, value_name = "MODE", value_parser = ["time", "throughput"], help_heading = "What to show")]
    pub mode: Option<String>,
    /// Print no progress.
    #[arg(short, long, help_heading = "What to show")]
    pub quiet: bool,

    /// Keep this run.
    #[arg(long, help_heading = "Runs that are kept")]
    pub store: bool,
    /// Keep this run under a name.
    #[arg(long, value_name = "NAME", value_parser = tag, help_heading = "Runs that are kept")]
    pub tag: Option<String>,
    /// Compare with a run that was kept: latest, latest-1, a tag, tag-1, or a number of `bench log`.
    #[arg(long = "ref", value_name = "RUN", help_heading = "Runs that are kept")]
    pub reference: Option<Reference>,
    /// Compare with the run in a file that --json, --dump-file or PHPBench wrote.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "reference",
        help_heading = "Runs that are kept"
    )]
    pub file: Option<PathBuf>,
    /// Write the run as PHPBench's XML, too.
    #[arg(long, value_name = "FILE", help_heading = "Runs that are kept")]
    pub dump_file: Option<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub store_at: StoreAt,
}

/// `--isolation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Isolation {
    /// A fork of a warm process.
    Fork,
    /// A PHP of its own, as PHPBench does.
    Process,
}

/// `--opcache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Opcache {
    /// As PHP's own settings say.
    AsIs,
    /// Off.
    Off,
    /// On, without JIT.
    On,
    /// On, with the tracing JIT.
    Jit,
}

/// What counts instructions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Counter {
    /// The CPU's counter where it can be used, else callgrind.
    Auto,
    /// The CPU's counter (perf_event).
    Hardware,
    /// Valgrind's callgrind.
    Callgrind,
}

/// A name by which a run can be found again.
pub fn tag(text: &str) -> Result<String, String> {
    match text.parse() {
        Ok(Reference::Tag(tag)) if !tag.is_empty() => Ok(tag),
        _ => Err(
            "numbers and `latest` name runs already, and a name has to have a letter: choose another one"
                .into(),
        ),
    }
}
