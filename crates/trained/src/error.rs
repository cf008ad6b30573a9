//! Why there is no trained PHP.

use std::{io, path::PathBuf};

/// What went wrong, and what helps.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Programs are not there.
    #[error("there is no {program}: run apt-get install {package}, then try again")]
    NoProgram {
        /// What was to be started.
        program: String,
        /// Debian's names of the packages that bring them.
        package: String,
    },
    /// A library's headers are not there.
    #[error("configure does not find {library}: run apt-get install {package}, then try again; it is written in {}", log.display())]
    NoLibrary {
        /// The library, as configure names it.
        library: String,
        /// Debian's name of the package that brings its headers.
        package: String,
        /// What configure said.
        log: PathBuf,
    },
    /// Libraries' headers are not there.
    #[error(
        "libraries that PHP is built with are not installed: run apt-get install {packages}, then try again"
    )]
    NotInstalled {
        /// Debian's names of the packages that bring them.
        packages: String,
    },
    /// BOLT is not there, or too old.
    #[error("{0}")]
    NoBolt(String),
    /// Nothing can be written any more.
    #[error("the disk of {} is full: make room, or build elsewhere (-o), then try again", .0.display())]
    DiskFull(PathBuf),
    /// A step of the build ended with a failure.
    #[error("{step} failed: {said}; all of it is in {}", log.display())]
    Step {
        /// What was done.
        step: &'static str,
        /// The line that tells most.
        said: String,
        /// All that was said.
        log: PathBuf,
    },
    /// A profile does not fit what is compiled with it.
    #[error(
        "the profile does not fit {file}: something changed after the training; start again with --from instrument"
    )]
    Stale {
        /// The file.
        file: String,
    },
    /// The sources are not what was instrumented.
    #[error("the sources in {} changed while PHP was trained: start again with --from source", .0.display())]
    SourceChanged(PathBuf),
    /// The training did not leave the profile that it has to leave.
    #[error("the training lost its profile: {0}")]
    Lost(String),
    /// A request or a script of the training did not end as it should.
    #[error("the training failed: {what} {how}")]
    Training {
        /// The request, or the script.
        what: String,
        /// What it did.
        how: String,
    },
    /// The trained PHP does not answer as the old one does.
    #[error("{what} is not the same from the trained PHP: {how}")]
    Differs {
        /// The request, or the script.
        what: String,
        /// Where they differ, and what the old one says when it is asked twice.
        how: String,
    },
    /// The trained PHP fails tests of PHP's own that the old one passes.
    #[error("the trained PHP fails what the old one passes of PHP's own tests, twice: {tests}; see the .diff beside each in {}", tree.display())]
    Worse {
        /// The tests.
        tests: String,
        /// Where they were run.
        tree: PathBuf,
    },
    /// A running PHP-FPM did not take its new program.
    #[error("the swap failed: {0}")]
    Swap(String),
    /// Something that was asked for makes no sense together.
    #[error("{0}")]
    Asked(String),
    /// There are no sources to build from.
    #[error("no sources: {0}")]
    NoSource(String),
    /// The trained PHP is not what the old one is.
    #[error("the trained PHP is no drop-in for {}: {what}", old.display())]
    NotAlike {
        /// The old PHP.
        old: PathBuf,
        /// What is not the same.
        what: String,
    },
    /// Somebody else works in the folder.
    #[error(
        "another phperf builds in {}, or what one started there still runs: wait for its end, or build elsewhere (-o)", .0.display()
    )]
    Busy(PathBuf),
    /// Whoever watches wanted an end.
    #[error("interrupted: the same command goes on from here")]
    Interrupted,
    /// The processor lacks what was compiled for.
    #[error(
        "this processor does not run what is compiled for {0}: build where PHP is to run, or leave --march away"
    )]
    Processor(String),
    /// The linker did what it was not asked for.
    #[error(
        "the linker did not align the code of {} to 2 MB: leave --huge away, or link with GNU ld or lld", .0.display()
    )]
    NotAligned(PathBuf),
    /// A program could not be laid out for huge pages.
    #[error(transparent)]
    Huge(#[from] tune::Error),
    /// A PHP could not be started or asked.
    #[error(transparent)]
    Php(#[from] php::Error),
    /// A file or folder could not be used.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried.
        doing: String,
        /// Why it failed.
        source: io::Error,
    },
}

impl Error {
    /// Whether only the level that was tried is to blame: another one can still be built.
    pub(crate) const fn is_of_level(&self) -> bool {
        matches!(
            self,
            Self::Step { .. }
                | Self::Differs { .. }
                | Self::NotAlike { .. }
                | Self::NotAligned(_)
                | Self::Processor(_)
                | Self::NoBolt(_)
                | Self::Huge(_)
                | Self::Lost(_)
                | Self::Training { .. }
        )
    }

    /// For `map_err`: names what was tried.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}
