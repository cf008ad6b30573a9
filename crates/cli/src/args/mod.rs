//! The arguments as typed.

#[cfg(feature = "build")]
mod build;
#[cfg(feature = "compare")]
mod compare;
mod help;
#[cfg(feature = "hugepages")]
pub mod hugepages;
mod light;
mod profiles;
mod sampling;
#[cfg(feature = "top")]
mod top;
mod trace;
pub mod values;
mod variables;

#[cfg(feature = "build")]
pub use build::{
    Build, Depth as BuildDepth, Level as BuildLevel, Part as BuildPart, Stage as BuildStage, Swap,
};
#[cfg(feature = "compare")]
pub use compare::{Answer, Compare, Metric};
pub use profiles::{By, Convert, Diff, Filter, Report, Selection, Shape};
pub use sampling::{Circumstances, End, InC, Sampling, Source, TargetArgs};
#[cfg(feature = "top")]
pub use top::Top;
pub use trace::Trace;
pub use variables::Variables;

pub(crate) use help::Help;

use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand};
use std::path::PathBuf;

/// See where running PHP spends its time, and tell whether a change made it faster.
#[derive(Debug, Parser)]
#[command(name = "phperf", version, about, max_term_width = 100, after_help = EXAMPLES)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf record -- php bin/console import",
            "record a command from start to end",
        ),
        ("phperf record --fpm -d 30", "all PHP-FPM workers, 30 seconds"),
        (
            "phperf record -p 4242 -o slow.pb.gz",
            "one process until Ctrl-C, for `go tool pprof`",
        ),
        ("phperf top --fpm", "all workers, live in the terminal"),
        ("phperf dump -p 4242", "what is it doing right now?"),
        (
            "phperf report slow.pb.gz",
            "the hottest functions of a saved profile",
        ),
        (
            "phperf diff before.svg after.svg",
            "what takes more of the time now?",
        ),
        ("phperf bench run", "the PHPBench suite of this project"),
        (
            "phperf compare -- php old.php -- php new.php",
            "is the new one faster?",
        ),
        (
            "phperf hugepages status",
            "how much of PHP's code lies on huge pages?",
        ),
        (
            "phperf build --like /usr/bin/php8.2 --train-cli job.php",
            "a PHP trained on job.php",
        ),
    ],
    notes: &[],
};

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Sample the stacks of running PHP into a flame graph or another format.
    Record(Record),
    /// Watch live where running PHP spends its time.
    #[cfg(feature = "top")]
    Top(Top),
    /// Print each stack as it comes, as phpspy does.
    Trace(Trace),
    /// Print the stacks of processes as they are now, with lines.
    Dump(Dump),
    /// Show the hottest functions of a saved profile.
    Report(Report),
    /// Compare two saved profiles, function by function.
    Diff(Diff),
    /// Write a saved profile in another format.
    Convert(Convert),
    /// Measure PHP code: benchmark suites, as they are.
    #[cfg(feature = "bench")]
    Bench(crate::bench::args::Bench),
    /// Tell whether one command, or address, is faster than another.
    #[cfg(feature = "compare")]
    Compare(Compare),
    /// Put PHP's code on huge pages, and tell how much of it lies there.
    #[cfg(feature = "hugepages")]
    Hugepages(hugepages::Hugepages),
    /// Build a PHP that is trained on your own load, and measure what it gains.
    #[cfg(feature = "build")]
    Build(Box<Build>),
    /// Put another php-fpm under a master that runs, without a failed request; or the old one back.
    #[cfg(feature = "build")]
    Swap(Swap),
}

const RECORD_EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf record -- php artisan queue:work --once",
            "a command, its children too",
        ),
        (
            "phperf record --fpm www -d 30 -o www.svg",
            "the workers of pool www",
        ),
        (
            "phperf record -P 'artisan queue' -d 10",
            "every process with this in its command line",
        ),
        (
            "phperf record -p 4242 -H 999 -o p.speedscope.json",
            "999 samples a second, for speedscope.app",
        ),
        (
            "phperf record -p 4242 -o - -f phpspy | less",
            "each sample as it comes",
        ),
        (
            "phperf record --fpm --request -d 30 -o fpm.pb.gz",
            "labelled with the request: then report fpm.pb.gz --by uri",
        ),
    ],
    notes: &[
        "Formats (-f, or from the ending of -o):\n\
\x20 svg          .svg               a flame graph for the browser (default)\n\
\x20 pprof        .pb.gz .pprof      for go tool pprof, Pyroscope, Perfetto\n\
\x20 folded       .folded            one stack a line with its count\n\
\x20 speedscope   .speedscope.json   for speedscope.app, in the order of time\n\
\x20 phpspy       .phpspy .txt       each sample as phpspy prints it, as it comes\n\
\x20 phpspy-line  .phpspy1           the same, one line a sample\n\
\x20 callgrind    .callgrind         for KCachegrind and callgrind_annotate\n\
\x20 otlp         .otlp              for an OpenTelemetry collector",
        "Sampling takes root, or CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE; without them phperf reads the memory of \
your own processes instead. The target is never stopped, signalled or written into.",
    ],
};

/// `phperf record`.
#[derive(Debug, ClapArgs)]
#[command(after_help = RECORD_EXAMPLES)]
pub struct Record {
    /// Which processes.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// How.
    #[command(flatten)]
    pub sampling: Sampling,
    /// What besides stacks.
    #[command(flatten)]
    pub circumstances: Circumstances,
    /// What variables hold: labels of the samples.
    #[command(flatten)]
    pub variables: Variables,
    /// What C code runs.
    #[command(flatten)]
    pub in_c: InC,
    /// When it ends.
    #[command(flatten)]
    pub end: End,
    /// Where to write; - is standard output [default: a flame graph with a name that says what and when].
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format [default: from the ending of FILE, else svg].
    #[arg(short, long, value_name = "FORMAT", value_parser = values::format)]
    pub format: Option<export::Format>,
    /// What is written; the account is of all samples.
    #[command(flatten)]
    pub filter: Filter,
    /// Print neither status nor summary.
    #[arg(short, long)]
    pub quiet: bool,
    /// Write the account of every tick as JSON, too.
    #[arg(long, value_name = "FILE")]
    pub summary_json: Option<PathBuf>,
}

const DUMP_EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf dump --fpm --request",
            "what does each worker do right now?",
        ),
        (
            "phperf dump -p 4242 --peek sql@src/Db.php:40-60",
            "what is in that variable?",
        ),
        (
            "phperf dump -p 4242 --request --memory",
            "which page is it, and how much memory does it hold?",
        ),
        ("phperf dump --core core.4242", "where was it when it crashed?"),
        (
            "phperf dump --core core.4242 --exe old/php-fpm8.2 --exe old/opcache.so",
            "PHP was updated since",
        ),
    ],
    notes: &[],
};

/// `phperf dump`.
#[derive(Debug, ClapArgs)]
#[command(after_help = DUMP_EXAMPLES, group(ArgGroup::new("whom").required(true).multiple(true)))]
pub struct Dump {
    /// A process; may be given several times.
    #[arg(short, long = "pid", value_name = "PID", group = "whom", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    pub pids: Vec<u32>,
    /// Every PHP process whose name is this or whose command line contains it.
    #[arg(short = 'P', long, value_name = "PATTERN", group = "whom", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub pattern: Option<String>,
    /// The workers of PHP-FPM, of all pools or of one; those between two requests are only counted.
    #[arg(long, value_name = "POOL", group = "whom", num_args = 0..=1)]
    pub fpm: Option<Option<String>>,
    /// The core file of a PHP that crashed, instead of a process.
    #[arg(long, value_name = "FILE", group = "whom", conflicts_with_all = ["pids", "fpm", "pattern"])]
    pub core: Option<PathBuf>,
    /// A copy of PHP, or of another file that the crashed process had mapped, where it was deleted or replaced since;
    /// may be given several times.
    #[arg(long = "exe", value_name = "FILE", requires = "core", conflicts_with_all = ["pids", "fpm", "pattern"])]
    pub copies: Vec<PathBuf>,
    /// Frames to show, the innermost ones.
    #[arg(long, value_name = "FRAMES", default_value_t = 512, value_parser = clap::value_parser!(u16).range(1..))]
    pub max_depth: u16,
    /// What besides stacks.
    #[command(flatten)]
    pub circumstances: Circumstances,
    /// What variables hold.
    #[command(flatten)]
    pub variables: Variables,
}
