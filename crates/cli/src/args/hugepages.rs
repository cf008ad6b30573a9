//! `phperf hugepages`.

use super::{Help, Shape, compare::Measuring, values};
use clap::{Args as ClapArgs, Subcommand};
use std::{ffi::OsString, path::PathBuf, str::FromStr};

const EXAMPLES: Help = Help {
    examples: &[
        ("phperf hugepages status", "every PHP that runs, one row each"),
        (
            "phperf hugepages apply /usr/sbin/php-fpm8.2 -o /usr/local/sbin/php-fpm8.2",
            "",
        ),
        (
            "phperf hugepages verify /usr/bin/php8.2 ./php8.2-huge -- bench.php",
            "",
        ),
        (
            "phperf hugepages perf-map 4242",
            "names for perf, of code that opcache copied",
        ),
    ],
    notes: &[],
};

/// `phperf hugepages`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct Hugepages {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs of `phperf hugepages`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Tell how much of PHP's code lies on huge pages, by which way, and what would be possible.
    Status(Status),
    /// Put PHP's code on huge pages, by a copy, in memory, by opcache, or in what runs; or opcache's memory.
    Apply(Apply),
    /// Undo what apply changed.
    Revert(Revert),
    /// Measure what a copy gains: pairs, CPU time, an interval.
    Verify(Verify),
    /// Give perf the names of code that opcache copied to huge pages.
    PerfMap(PerfMap),
    /// Read a copy into huge pages again, after a reboot or when memory was short.
    Warm(Warm),
}

/// A process or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A number is a process.
    Process(u32),
    /// Anything else is a file.
    File(PathBuf),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("give the number of a process, or a binary".into());
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::File(text.into()));
        }
        match text.parse() {
            Ok(pid) if (1..=i32::MAX as u32).contains(&pid) => Ok(Self::Process(pid)),
            _ => Err("there is no process of such a number; write a file of digits as ./1".into()),
        }
    }
}

/// `phperf hugepages status`.
#[derive(Debug, ClapArgs)]
pub struct Status {
    /// A process or a binary [default: every PHP that runs].
    #[arg(value_name = "PID|BINARY")]
    pub target: Option<Target>,
    /// Start the binary once, let opcache copy its code to huge pages, and tell what it did.
    #[arg(long = "try", requires = "target")]
    pub attempt: bool,
    /// How to show it.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    pub format: Shape,
}

const APPLY_EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf hugepages apply /usr/sbin/php-fpm8.2 -o /usr/local/sbin/php-fpm8.2",
            "a copy, and nothing else",
        ),
        (
            "phperf hugepages apply /usr/sbin/php-fpm8.2 --tmpfs /opt/php-huge",
            "a copy in memory, where disks have no huge pages",
        ),
        (
            "phperf hugepages apply /usr/sbin/php-fpm8.2 --opcache",
            "opcache copies what it can",
        ),
        (
            "phperf hugepages apply /usr/sbin/php-fpm8.2 --memory",
            "what opcache shares between workers, the JIT's code among it",
        ),
        (
            "phperf hugepages apply --fpm",
            "the workers that run, where the kernel takes it",
        ),
    ],
    notes: &[
        "A copy has the same code at the same addresses; its headers say that it is aligned to 2 MB. It is written so that the page \
cache takes huge pages for it, asked for its version and its modules like the original, and gets its name only when both \
answer the same. The original is left as it is, and so is what runs.",
        "All but copies ask before they change anything, or take --yes, and note what they changed for `phperf hugepages revert`.",
    ],
};

/// `phperf hugepages apply`.
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, ClapArgs)]
#[command(
    after_help = APPLY_EXAMPLES,
    override_usage = "phperf hugepages apply <BINARY> -o <COPY> [--narrow] [--unit <FILE>]\n       \
                      phperf hugepages apply <BINARY> --tmpfs <FOLDER> [--narrow] [--unit <FILE>]\n       \
                      phperf hugepages apply <BINARY> --opcache [--pool <PAGES>]\n       \
                      phperf hugepages apply <BINARY> --memory [--sysctl <FILE>]\n       \
                      phperf hugepages apply <PID>\n       \
                      phperf hugepages apply --fpm [<POOL>]",
    group(clap::ArgGroup::new("way"))
)]
pub struct Apply {
    /// A PHP to copy, or a process.
    #[arg(
        value_name = "BINARY|PID",
        required_unless_present = "fpm",
        conflicts_with = "fpm"
    )]
    pub target: Option<Target>,
    /// Write a copy that fits on huge pages.
    #[arg(short, long, value_name = "COPY", group = "way")]
    pub output: Option<PathBuf>,
    /// Mount a file system in memory with huge pages on this empty folder, and copy there.
    #[arg(long, value_name = "FOLDER", group = "way")]
    pub tmpfs: Option<PathBuf>,
    /// Let opcache copy the code, by a file where this PHP reads its settings; it stays over a reboot, until it is reverted.
    #[arg(long, group = "way")]
    pub opcache: bool,
    /// Set as many pages of 2 MB aside as opcache's memory takes, with this PHP's settings: it uses them by itself.
    #[arg(long, group = "way")]
    pub memory: bool,
    /// With --memory: write it to this file as well, such as /etc/sysctl.d/90-php.conf, so that it stays over a reboot.
    #[arg(long, value_name = "FILE", requires = "memory")]
    pub sysctl: Option<PathBuf>,
    /// Gather the code of the workers of PHP-FPM, of all pools or of one, into huge pages.
    #[arg(long, value_name = "POOL", num_args = 0..=1, group = "way")]
    pub fpm: Option<Option<String>>,
    /// Set so many pages of 2 MB aside for opcache, in addition to those that are.
    #[arg(long, value_name = "PAGES", default_value_t = 0, requires = "opcache", value_parser = clap::value_parser!(u32).range(0..=1 << 20))]
    pub pool: u32,
    /// Make no more executable than lies on the same huge pages as code; strip cannot rewrite such a copy.
    #[arg(long)]
    pub narrow: bool,
    /// Replace a copy that is there.
    #[arg(long)]
    pub force: bool,
    /// Write a systemd unit that brings the copy back onto huge pages after a reboot; - is standard output.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["opcache", "memory", "fpm"])]
    pub unit: Option<PathBuf>,
    /// Tell what would be changed, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask.
    #[arg(short, long)]
    pub yes: bool,
}

/// `phperf hugepages revert`.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "What apply changed is noted in /var/lib/phperf/hugepages.json, or below ~/.local/state for users other than root; \
                        PHPERF_STATE names another folder. Copies that were written with -o are the user's to remove."
)]
pub struct Revert {
    /// Tell what would be undone, and undo nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask.
    #[arg(short, long)]
    pub yes: bool,
}

/// `phperf hugepages warm`.
#[derive(Debug, ClapArgs)]
pub struct Warm {
    /// A copy that `apply` made, or a PHP that was linked for huge pages.
    #[arg(value_name = "BINARY")]
    pub binary: PathBuf,
}

const VERIFY_EXAMPLES: Help = Help {
    examples: &[
        ("phperf hugepages verify /usr/bin/php8.2 ./php8.2-huge", ""),
        (
            "phperf hugepages verify /usr/bin/php8.2 ./php8.2-huge -- bench.php 1000",
            "",
        ),
        (
            "phperf hugepages verify /usr/sbin/php-fpm8.2 ./php-fpm-huge -- /srv/i.php x=1",
            "",
        ),
    ],
    notes: &[
        "A php or php-cgi runs with these arguments, both sides at the same time on one CPU. A php-fpm is asked for the file, with \
the query after it; both sides are started anew for each pair, and asked in turns. Without arguments, a script of phperf's \
own runs.",
    ],
};

/// `phperf hugepages verify`.
#[derive(Debug, ClapArgs)]
#[command(after_help = VERIFY_EXAMPLES)]
pub struct Verify {
    /// The original.
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The copy.
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// What to run: arguments of php; of php-fpm a file and a query.
    #[arg(last = true, value_name = "ARGUMENT")]
    pub arguments: Vec<OsString>,

    /// Pairs to measure at most [default: 60, or as many as fit into --time].
    #[arg(long, value_name = "PAIRS", value_parser = clap::value_parser!(u16).range(1..=stats::MAX_PAIRS as i64))]
    pub pairs: Option<u16>,
    /// Differences of up to so many per cent are no gain.
    #[arg(long, value_name = "PERCENT", default_value = "0.5", value_parser = values::percent)]
    pub margin: f64,
    /// Requests to each php-fpm in a pair.
    #[arg(long, value_name = "REQUESTS", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub requests: u16,
    /// How long is measured, and what becomes of it.
    #[command(flatten)]
    pub measuring: Measuring,
}

/// `phperf hugepages perf-map`.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "perf reads /tmp/perf-PID.map when it reports. Write it while the process runs; a map of a JIT is kept."
)]
pub struct PerfMap {
    /// The process.
    #[arg(value_name = "PID", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    pub pid: u32,
}
