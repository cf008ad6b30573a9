//! `phperf hugepages`.

use super::ReportFormat;
use clap::{Args as ClapArgs, Subcommand};
use std::{path::PathBuf, str::FromStr};

const EXAMPLES: &str = "\
Examples:
  phperf hugepages status                           every PHP that runs, one row each
  phperf hugepages apply /usr/sbin/php-fpm8.2 -o /usr/local/sbin/php-fpm8.2
  phperf hugepages verify /usr/bin/php8.2 ./php8.2-huge -- bench.php
  phperf hugepages perf-map 4242                    names for perf, of code that opcache copied";

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
    /// Make a copy of a PHP whose code fits on huge pages.
    Apply(Apply),
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
    /// How to show it.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

const APPLY_EXAMPLES: &str = "\
The original is left as it is, and so is what runs. The copy has the same code at the same addresses; program headers
say that it is aligned to 2 MB. It is written so that the page cache takes huge pages for it, asked for its version and
its modules like the original, and gets its name only when both answer the same.";

/// `phperf hugepages apply`.
#[derive(Debug, ClapArgs)]
#[command(after_help = APPLY_EXAMPLES)]
pub struct Apply {
    /// The PHP to copy.
    #[arg(value_name = "BINARY")]
    pub binary: PathBuf,
    /// Where the copy goes.
    #[arg(short, long, value_name = "COPY")]
    pub output: PathBuf,
    /// Make no more executable than lies on the same huge pages as code; strip cannot rewrite such a copy.
    #[arg(long)]
    pub narrow: bool,
    /// Replace a file that is there.
    #[arg(long)]
    pub force: bool,
    /// Tell what would be written, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `phperf hugepages warm`.
#[derive(Debug, ClapArgs)]
pub struct Warm {
    /// A copy that `apply` made, or a PHP that was linked for huge pages.
    #[arg(value_name = "BINARY")]
    pub binary: PathBuf,
}
