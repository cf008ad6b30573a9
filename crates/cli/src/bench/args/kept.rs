//! The arguments of the verbs that need no suite: runs that are kept.

#![allow(
    clippy::doc_markdown,
    reason = "comments become help, which is shown as it stands"
)]

use super::Base;
use crate::args::Help;
use bench::store::Reference;
use clap::Args as ClapArgs;
use std::path::PathBuf;

const LOG_EXAMPLES: Help = Help {
    examples: &[
        (
            "phperf bench log",
            "the runs and comparisons that are kept, the newest first",
        ),
        (
            "phperf bench log benchMd5",
            "each variant of benchMd5, run by run, with its commits",
        ),
        ("phperf bench log -n 100 --json -", "for other tools"),
    ],
    notes: &[],
};

/// Where runs are kept.
#[derive(Debug, ClapArgs)]
pub struct StoreAt {
    /// The file of runs that are kept [default: storage.file of the configuration, else .phperf-bench.sqlite in the folder to
    /// start from].
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "store_url",
        help_heading = "Runs that are kept"
    )]
    pub store_file: Option<PathBuf>,
    /// A PostgreSQL database of runs that are kept, as postgres://user@host/database [default: storage.url of the
    /// configuration]; a password may be in PGPASSWORD.
    #[arg(long, value_name = "URL", help_heading = "Runs that are kept")]
    pub store_url: Option<String>,
}

/// `phperf bench log`.
#[derive(Debug, ClapArgs)]
#[command(after_help = LOG_EXAMPLES)]
pub struct Log {
    /// Show the history of each variant whose Class::subject # set contains this, instead of the runs.
    #[arg(value_name = "SUBJECT")]
    pub subject: Option<String>,
    /// The last so many.
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Write runs, and each variant over them, as JSON instead; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Where settings are read.
    #[command(flatten)]
    pub base: Base,
    /// Where runs are kept.
    #[command(flatten)]
    pub store_at: StoreAt,
}

/// `phperf bench export`.
#[derive(Debug, ClapArgs)]
pub struct Export {
    /// RUN names a comparison that `bench compare --store` kept; it is written as JSON, which `bench import` takes.
    #[arg(long)]
    pub comparison: bool,
    /// The run: latest, latest-1, a tag, tag-1, or a number of `bench log`.
    #[arg(value_name = "RUN")]
    pub reference: Reference,
    /// The file to write; - is standard output.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    /// Where settings are read.
    #[command(flatten)]
    pub base: Base,
    /// Where runs are kept.
    #[command(flatten)]
    pub store_at: StoreAt,
}

/// `phperf bench import`.
#[derive(Debug, ClapArgs)]
pub struct Import {
    /// Files of XML or JSON; --json of `bench compare` and of `bench show --comparison` among them.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Where settings are read.
    #[command(flatten)]
    pub base: Base,
    /// Where runs are kept.
    #[command(flatten)]
    pub store_at: StoreAt,
}

/// `phperf bench show`.
#[derive(Debug, ClapArgs)]
pub struct Show {
    /// The run: latest, latest-1, a tag, tag-1, or a number of `bench log`.
    #[arg(value_name = "RUN", default_value = "latest")]
    pub reference: Reference,
    /// Show a comparison that `bench compare --store` kept instead of a run, with --html or --json: its number, a tag, latest.
    #[arg(long, value_name = "COMPARISON", num_args = 0..=1, default_missing_value = "latest",
          conflicts_with_all = ["reference", "file", "report", "output"])]
    pub comparison: Option<Reference>,
    /// Reports, as `bench run` has them [default: aggregate].
    #[arg(long, value_name = "NAME")]
    pub report: Vec<String>,
    /// How to write reports, as `bench run` has it; or a file that ends in .html, as with --html [default: console].
    #[arg(short, long, value_name = "NAME")]
    pub output: Vec<String>,
    /// Write a page for a browser, with every sample and the history of the runs that are kept.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Show the run in a file that --json, --dump-file or PHPBench wrote, instead of one that is kept.
    #[arg(long, value_name = "FILE", conflicts_with = "reference")]
    pub file: Option<PathBuf>,
    /// Write the whole suite, every sample, as JSON; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Where settings are read.
    #[command(flatten)]
    pub base: Base,
    /// Where runs are kept.
    #[command(flatten)]
    pub store_at: StoreAt,
}
