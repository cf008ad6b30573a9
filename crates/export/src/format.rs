//! The formats by name and by file ending.

use crate::{Exporter, folded, phpspy};
use std::path::Path;
use thiserror::Error;

/// A format that profiles are saved in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A flame graph that opens in a browser.
    Svg,
    /// `profile.proto`, gzipped, for `go tool pprof`.
    Pprof,
    /// One stack a line with its count: inferno, flamegraph.pl, speedscope.
    Folded,
    /// JSON for <https://speedscope.app>.
    Speedscope,
    /// Each sample as phpspy prints it, as it comes.
    Phpspy,
    /// The same, each sample in one line, as `phpspy -1` prints it.
    PhpspyLine,
    /// Callgrind's costs and calls, for `KCachegrind` and `callgrind_annotate`.
    Callgrind,
    /// OpenTelemetry's profiles, for a collector.
    Otlp,
}

/// Why there is no such format.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// No format has this name.
    #[error("no format is called {0:?}; there are: {names}", names = names())]
    Name(String),
    /// No format has files with this ending.
    #[error("cannot tell the format from the ending of {0:?}; add one of {endings}, or name it with -f", endings = endings())]
    Ending(String),
    /// The format exists, and this build is without it.
    #[error("this phperf was built without {0}; build it with `--features {0}`, or use another format")]
    NotBuilt(Format),
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Format {
    /// Every format, built in or not, the one for newcomers first.
    pub const ALL: [Self; 8] = [
        Self::Svg,
        Self::Pprof,
        Self::Folded,
        Self::Speedscope,
        Self::Phpspy,
        Self::PhpspyLine,
        Self::Callgrind,
        Self::Otlp,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Pprof => "pprof",
            Self::Folded => "folded",
            Self::Speedscope => "speedscope",
            Self::Phpspy => "phpspy",
            Self::PhpspyLine => "phpspy-line",
            Self::Callgrind => "callgrind",
            Self::Otlp => "otlp",
        }
    }

    /// What it is for, in a few words.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Svg => "a flame graph for the browser",
            Self::Pprof => "for go tool pprof (gzip)",
            Self::Folded => "one stack a line with its count, for inferno, flamegraph.pl, speedscope",
            Self::Speedscope => "for speedscope.app: in the order of time",
            Self::Phpspy => "each sample as phpspy prints it, as it comes",
            Self::PhpspyLine => "the same, one line a sample",
            Self::Callgrind => "for KCachegrind and callgrind_annotate",
            Self::Otlp => "for an OpenTelemetry collector",
        }
    }

    /// The ending that a file gets whose name the user did not choose.
    pub const fn extension(self) -> &'static str {
        self.endings()[0]
    }

    /// Every ending that [`Format::from_path`] takes for this format, without the first dot.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Svg => &["svg"],
            Self::Pprof => &["pb.gz", "pprof", "pprof.gz"],
            Self::Folded => &["folded", "collapsed"],
            Self::Speedscope => &["speedscope.json", "json"],
            Self::Phpspy => &["phpspy", "txt"],
            Self::PhpspyLine => &["phpspy1", "phpspy-line"],
            Self::Callgrind => &["callgrind", "callgrind.out"],
            Self::Otlp => &["otlp", "otlp.pb"],
        }
    }

    /// The format that is called `name`.
    pub fn from_name(name: &str) -> Result<Self, FormatError> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| FormatError::Name(name.chars().take(80).collect()))
    }

    /// The format that the ending of a file's name asks for; case does not matter.
    pub fn from_path(path: &Path) -> Result<Self, FormatError> {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|format| {
                let ends = |ending: &str| {
                    name.strip_suffix(ending)
                        .is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
                };
                format.endings().iter().any(|ending| ends(ending))
            })
            .ok_or_else(|| FormatError::Ending(path.display().to_string()))
    }

    /// Whether this build can write it.
    pub const fn is_built(self) -> bool {
        match self {
            Self::Svg => cfg!(feature = "svg"),
            Self::Pprof => cfg!(feature = "pprof"),
            Self::Speedscope => cfg!(feature = "speedscope"),
            Self::Otlp => cfg!(feature = "otlp"),
            Self::Folded | Self::Phpspy | Self::PhpspyLine | Self::Callgrind => true,
        }
    }

    /// Whether it is bytes that do not belong on a terminal.
    pub const fn is_binary(self) -> bool {
        matches!(self, Self::Pprof | Self::Otlp)
    }

    /// Whether [`crate::read`] reads it.
    pub const fn is_readable(self) -> bool {
        !matches!(self, Self::Callgrind | Self::Otlp)
    }

    /// A new file of this format, with nothing in it yet.
    pub fn exporter(self) -> Result<Box<dyn Exporter>, FormatError> {
        Ok(match self {
            Self::Folded => Box::new(folded::Folded::default()),
            Self::Phpspy => Box::new(phpspy::Phpspy::new(phpspy::Shape::Lines)),
            Self::PhpspyLine => Box::new(phpspy::Phpspy::new(phpspy::Shape::OneLine)),
            Self::Callgrind => Box::new(crate::callgrind::Callgrind::default()),
            #[cfg(feature = "otlp")]
            Self::Otlp => Box::new(crate::otlp::Otlp::default()),
            #[cfg(feature = "svg")]
            Self::Svg => Box::new(crate::svg::Svg::default()),
            #[cfg(feature = "pprof")]
            Self::Pprof => Box::new(crate::pprof::Pprof::default()),
            #[cfg(feature = "speedscope")]
            Self::Speedscope => Box::new(crate::speedscope::Speedscope::default()),
            #[allow(unreachable_patterns, reason = "reached where a feature is off")]
            _ => return Err(FormatError::NotBuilt(self)),
        })
    }
}

fn names() -> String {
    Format::ALL.map(Format::name).join(", ")
}

fn endings() -> String {
    Format::ALL
        .map(|format| format!(".{}", format.extension()))
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_is_found_by_its_name_and_its_endings() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Ok(format));
            for ending in format.endings() {
                let path = format!("/tmp/My.Profile.{}", ending.to_uppercase());
                assert_eq!(Format::from_path(Path::new(&path)), Ok(format), "{path}");
            }
        }
    }

    #[test]
    fn what_has_no_format_says_what_there_is() {
        let error = Format::from_name("flame").unwrap_err().to_string();
        assert_eq!(
            error,
            "no format is called \"flame\"; there are: svg, pprof, folded, speedscope, phpspy, phpspy-line, \
             callgrind, otlp"
        );
        for path in ["out", "out.gz", ".svg", "out.pngsvg", "", "/"] {
            let error = Format::from_path(Path::new(path)).unwrap_err().to_string();
            assert!(error.contains(".svg, .pb.gz"), "{error}");
        }
    }
}
