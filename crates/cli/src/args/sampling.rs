//! What commands that sample have in common: which processes, how often, from where.

use super::values;
use clap::{ArgGroup, Args, ValueEnum};
use sampler::Parts;
use std::{ffi::OsString, time::Duration};

/// Which processes.
#[derive(Debug, Default, Args)]
#[command(group(ArgGroup::new("targets").required(true).multiple(true)))]
pub struct TargetArgs {
    /// A process; may be given several times.
    #[arg(short, long = "pid", value_name = "PID", group = "targets", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    pub pids: Vec<u32>,
    /// Every PHP process whose name is this or whose command line contains it, those that come later too.
    #[arg(short = 'P', long, value_name = "PATTERN", group = "targets", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub pattern: Option<String>,
    /// The workers of PHP-FPM, of all pools or of one; those that come and go included.
    #[arg(long, value_name = "POOL", group = "targets", num_args = 0..=1)]
    pub fpm: Option<Option<String>>,
    /// Start this command, for it and its children; its exit code becomes phperf's.
    #[arg(last = true, value_name = "COMMAND", group = "targets")]
    pub command: Vec<OsString>,
}

/// How.
#[derive(Debug, Args)]
pub struct Sampling {
    /// Samples a second, of each process.
    #[arg(short = 'H', long, value_name = "HZ", default_value_t = 99, value_parser = clap::value_parser!(u32).range(1..=i64::from(sampler::MAX_RATE)))]
    pub rate: u32,
    /// Frames to keep of a stack, the innermost ones; what is cut is counted.
    #[arg(long, value_name = "FRAMES", default_value_t = 512, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub max_depth: u16,
    /// Where stacks come from: the kernel (eBPF) takes them without disturbing anything, the reader works
    /// without privileges.
    #[arg(long, value_enum, value_name = "SOURCE", default_value_t = Source::Auto)]
    pub source: Source,
    /// Say for what a sample waits: labels with the system call, and the file or the other end of the connection.
    #[arg(long)]
    pub waits: bool,
}

/// What is read besides each stack.
#[derive(Debug, Args)]
pub struct Circumstances {
    /// Label samples with the request that they are of: method, uri (without its query) and script; or just the PARTS
    /// named, of method, uri, script, query, cookie (these two hold secrets) and began, in seconds since 1970.
    #[arg(long, value_name = "PARTS", num_args = 0..=1, require_equals = true, default_missing_value = "method,uri,script", value_parser = super::values::parts)]
    pub request: Option<Parts>,
    /// Read how much memory PHP has given out, as `memory_get_usage()` tells it, and the most of it.
    #[arg(long)]
    pub memory: bool,
}

/// Frames of C.
#[derive(Debug, Default, Args)]
pub struct InC {
    /// Show what C code PHP's functions run, and what calls them: of PHP itself, of libraries, of the kernel. Takes root or the
    /// capabilities of the kernel source.
    #[cfg(feature = "native")]
    #[arg(long)]
    pub native: bool,
}

impl InC {
    /// They are to be shown.
    pub fn is_asked(&self) -> bool {
        #[cfg(feature = "native")]
        return self.native;
        #[cfg(not(feature = "native"))]
        false
    }
}

/// When a recording ends: at the first of these, or with the targets, or with Ctrl-C.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct End {
    /// How long, as 30, 1.5, 500ms, 2m [default: until the targets end or Ctrl-C].
    #[arg(short, long, value_name = "SECONDS", value_parser = values::duration)]
    pub duration: Option<Duration>,
    /// Stop after so many samples.
    #[arg(short, long, value_name = "SAMPLES", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
}

/// `--source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Source {
    /// The kernel where it is permitted, else the reader.
    Auto,
    /// The kernel or nothing.
    Kernel,
    /// The reader.
    Reader,
}
