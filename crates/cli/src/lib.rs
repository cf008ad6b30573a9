//! The command line: arguments become settings, results become words and exit codes.
//!
//! Errors get their context here; 2 is a mistake in the arguments, 1 anything else that went wrong. What a
//! recording is, or a format, is for `sampler` and `export` to know.

// Before all others: what it defines, they use.
#[macro_use]
mod say;

pub mod args;
#[cfg(feature = "bench")]
pub mod bench;
#[cfg(feature = "build")]
mod build;
#[cfg(feature = "compare")]
mod compare;
mod convert;
mod diff;
mod dump;
#[cfg(feature = "hugepages")]
mod hugepages;
mod interrupt;
mod line;
mod misuse;
mod output;
mod peeks;
mod phpspy;
mod record;
mod replacement;
mod report;
mod sampling;
mod saved;
mod status;
mod stdio;
mod stream;
mod summary;
#[cfg(feature = "top")]
mod top;
mod trace;
mod wanted;

use std::{ffi::OsString, io};

/// Exit code of a failure.
const FAILURE: u8 = 1;
/// Exit code of arguments that make no sense.
const USAGE: u8 = 2;

/// Runs phperf with these arguments, the program's name first; returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let mut arguments = arguments.into_iter().peekable();
    let program = arguments.next();
    if arguments.peek().is_some_and(|first| first == sampler::HOLD) {
        let (why, code) = sampler::hold(arguments.skip(1));
        eprintln!("phperf: {why}");
        return code as u8;
    }
    #[cfg(feature = "kernel")]
    sampler::prepare();
    if program.as_deref().is_some_and(phpspy::is_name) {
        return phpspy::run(arguments);
    }
    let arguments: Vec<_> = program.into_iter().chain(arguments).collect();
    let parsed = match args::Args::read(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => return misuse::tell(&error, arguments.get(1..).unwrap_or_default()),
    };
    let result = match parsed.command {
        args::Command::Record(record) => record::run(&record),
        #[cfg(feature = "top")]
        args::Command::Top(top) => top::run(&top),
        args::Command::Trace(trace) => trace::run(&trace),
        args::Command::Dump(dump) => dump::run(&dump),
        args::Command::Report(report) => report::run(&report),
        args::Command::Diff(diff) => diff::run(&diff),
        args::Command::Convert(convert) => convert::run(&convert),
        #[cfg(feature = "bench")]
        args::Command::Bench(asked) => bench::run(&asked),
        #[cfg(feature = "compare")]
        args::Command::Compare(compare) => compare::run(&compare),
        #[cfg(feature = "hugepages")]
        args::Command::Hugepages(asked) => hugepages::run(&asked),
        #[cfg(feature = "build")]
        args::Command::Build(asked) => build::run(&asked),
        #[cfg(feature = "build")]
        args::Command::Swap(asked) => build::swap::run(&asked),
    };
    finish(result)
}

/// What went wrong, in one line; the exit code.
fn finish(result: anyhow::Result<u8>) -> u8 {
    match result {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            eprintln!("phperf: {}", line_of(&error));
            if error.is::<UsageError>() {
                USAGE
            } else if error.is::<interrupt::Interrupted>() {
                interrupt::INTERRUPTED
            } else {
                FAILURE
            }
        }
    }
}

/// One line that does nothing to a terminal, whatever a message or a name holds.
fn line_of(error: &anyhow::Error) -> String {
    format!("{error:#}").replace(profile::is_unprintable, " ")
}

/// A mistake in the arguments that only shows when they are taken together.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UsageError(String);

/// Whoever reads our output has seen enough: that is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
