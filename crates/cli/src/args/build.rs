//! `phperf build`.

use super::{Help, compare::Measuring, values};
use clap::{Args as ClapArgs, ValueEnum};
use std::{path::PathBuf, time::Duration};
use trained::training::Script;

const EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf build --like /usr/sbin/php-fpm8.2 --user web --root /srv --request /",
            "a page; --request '/blog 3' adds one of three times the weight",
        ),
        (
            "phperf build --like php-fpm8.2 --user web --root /srv --access-log www.log",
            "what the log says that was asked for, as often as it says",
        ),
        (
            "phperf build --like /usr/bin/php8.2 --lto --train-cli 'bin/console app:import'",
            "a command",
        ),
        (
            "phperf build --like /usr/bin/php8.2 --level auto --budget 3h --train-cli j.php",
            "what gains most there, found by measuring",
        ),
        (
            "phperf build --source php-8.4.1.tar.xz --against php --train-cli bench.php",
            "from other sources, compared with an installed PHP",
        ),
    ],
    notes: &[
        "The training runs your own application: what it writes to its database and files is written. \
Whatever was done is kept in the folder (-o); the same command goes on, or does again what is no longer current. \
A is the PHP that is there, B the one that was built. Nothing is installed unless --install says where.",
    ],
};

/// `phperf build`.
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct Build {
    /// The php, php-fpm, php-cgi or Apache's libphp that the new one is to replace: its version, options, extensions and folders.
    #[arg(long, value_name = "BINARY", required_unless_present = "source")]
    pub like: Option<PathBuf>,
    /// PHP's sources, a folder or an archive [default: the distribution's source package of --like].
    #[arg(long, value_name = "PATH")]
    pub source: Option<PathBuf>,
    /// Another one to compare with; requests are also sent to its kind of server; may be given several times.
    #[arg(long, value_name = "BINARY")]
    pub against: Vec<PathBuf>,
    /// One more option of PHP's configure; may be given several times.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub configure: Vec<String>,
    /// The compiler whose profiles are used, a gcc or a clang [default: $CC, or gcc].
    #[arg(long, value_name = "COMPILER")]
    pub cc: Option<String>,
    /// Optimise all files together when they are linked: takes some minutes more.
    #[arg(long)]
    pub lto: bool,
    /// Lay the programs out anew with BOLT of LLVM 21 or later, after a second training.
    #[arg(long, conflicts_with = "huge")]
    pub bolt: bool,
    /// Link the programs so that all of their code can lie on huge pages of 2 MB.
    #[arg(long)]
    pub huge: bool,
    /// Try parts one after the other, measure each on your own load, and keep what shows a gain.
    #[arg(long, value_enum, value_name = "LEVEL", conflicts_with_all = ["lto", "bolt", "huge", "no_measure"])]
    pub level: Option<Level>,
    /// What to try [default: lto,bolt,huge, and march where --march names a processor].
    #[arg(
        long = "try",
        value_enum,
        value_name = "PARTS",
        value_delimiter = ',',
        requires = "level"
    )]
    pub parts: Option<Vec<Part>>,
    /// Try nothing more after so long, as 90m, 2h; what has begun is brought to its end.
    #[arg(long, value_name = "SECONDS", value_parser = values::duration, requires = "level")]
    pub budget: Option<Duration>,
    /// Compile for this processor alone, as GCC names it; native is the one that this runs on.
    #[arg(long, value_name = "PROCESSOR", value_parser = values::processor)]
    pub march: Option<String>,
    /// Compilers to run at the same time [default: one for each CPU].
    #[arg(long, value_name = "JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// A script with its arguments to train on; may be given several times.
    #[arg(long, value_name = "SCRIPT", value_parser = Script::parse)]
    pub train_cli: Vec<Script>,
    /// The web server's root, below which requests find their scripts.
    #[arg(long, value_name = "FOLDER")]
    pub root: Option<PathBuf>,
    /// A page to train on, as /index.php?x=1, and its weight behind a space; may be given several times.
    #[arg(long = "request", value_name = "URI", requires = "root", value_parser = values::weighted)]
    pub pages: Vec<(String, u64)>,
    /// An access log, common or combined, to take GET requests with their weights from; may be given several times.
    #[arg(long = "access-log", value_name = "FILE", requires = "root")]
    pub access_logs: Vec<PathBuf>,
    /// How many requests to train with; each page at least once.
    #[arg(long, value_name = "REQUESTS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub requests: u32,
    /// The name that requests are sent to.
    #[arg(long, value_name = "NAME", default_value = "localhost")]
    pub host: String,
    /// The user that serves requests, such as www-data; has to be given as root.
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Run the application without asking first.
    #[arg(short, long)]
    pub yes: bool,

    /// Leave out of the answers what changes by nature, such as dates and nonces; may be given several times.
    #[arg(long = "ignore-output", value_name = "REGEX")]
    pub ignored: Vec<String>,
    /// Run tests of PHP's own on both, and fail if the new PHP fails what the old one passes.
    #[arg(long, value_enum, value_name = "DEPTH")]
    pub verify: Option<Depth>,
    /// Where sources, both builds and logs are kept.
    #[arg(short, long, value_name = "FOLDER", default_value = "phperf-build")]
    pub output: PathBuf,
    /// Do this and what follows again, even if it was done.
    #[arg(long, value_enum, value_name = "STAGE")]
    pub from: Option<Stage>,
    /// Put the new PHP below this folder, beside the old one: PREFIX/bin and PREFIX/sbin.
    #[arg(long, value_name = "PREFIX")]
    pub install: Option<PathBuf>,
    /// Write a Debian package, which puts the new PHP below /opt, beside the old one.
    #[arg(long, value_name = "FILE")]
    pub deb: Option<PathBuf>,

    /// Do not measure what is gained.
    #[arg(long, conflicts_with_all = ["pairs", "time", "seed", "json", "markdown", "html", "junit", "fail_on_slower", "fail_on_inconclusive"])]
    pub no_measure: bool,
    /// Pairs to measure at most; 10 are the least that can tell anything.
    #[arg(long, value_name = "PAIRS", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=stats::MAX_PAIRS as i64))]
    pub pairs: u16,
    /// Differences of up to so many per cent are the same.
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = values::percent)]
    pub margin: f64,
    /// How long is measured, and what becomes of it.
    #[command(flatten)]
    pub measuring: Measuring,
}

const SWAP_EXAMPLES: Help = Help {
    examples: &[
        ("phperf swap phperf-build/optimised/sapi/fpm/php-fpm -p 4242", ""),
        ("phperf swap --back -p 4242", ""),
    ],
    notes: &[
        "The new program is copied over the path of the old one, which is kept beside it as PATH.before-swap. The master \
executes it with the same sockets and process number, once its workers have ended their requests: no request \
fails, if process_control_timeout is set. A package's upgrade replaces whatever lies there.",
    ],
};

/// `phperf swap`.
#[derive(Debug, ClapArgs)]
#[command(after_help = SWAP_EXAMPLES)]
pub struct Swap {
    /// The new php-fpm.
    #[arg(
        value_name = "BINARY",
        required_unless_present = "back",
        conflicts_with = "back"
    )]
    pub new: Option<PathBuf>,
    /// The process of PHP-FPM's master.
    #[arg(short, long, value_name = "PID", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    pub pid: u32,
    /// Put the old one back.
    #[arg(long)]
    pub back: bool,
}

/// `--verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Depth {
    /// About 300 tests of the language, evenly spread over all.
    Quick,
    /// All tests of the language, and of the extensions that both have.
    Full,
}

/// `--level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// What shows a gain, by measuring.
    Auto,
}

/// `--try`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// All files optimised together when they are linked.
    Lto,
    /// Programs laid out anew by BOLT.
    Bolt,
    /// Code on huge pages.
    Huge,
    /// Compiled for the processor that --march names.
    March,
}

/// `--from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Sources and everything else.
    Source,
    /// The build with counters.
    Instrument,
    /// The training: the application is another one now.
    Train,
    /// The optimised build.
    Optimise,
    /// The programs that BOLT lays out.
    Bolt,
    /// The programs that are linked for huge pages.
    Place,
    /// What --level auto measures.
    Choose,
    /// PHP's own tests.
    Verify,
}
