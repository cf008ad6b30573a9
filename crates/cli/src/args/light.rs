//! `phperf record` runs beside what it measures: its arguments are read without describing all other verbs, which would
//! take hundreds of kilobytes.

use super::{Args, Command, Record};
use clap::{Args as _, FromArgMatches, Parser};
use std::ffi::OsString;

impl Args {
    /// The arguments, of which the first is the program's name.
    pub fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        // What is not plainly a recording (a mistake, a question for help) is for the whole description.
        record(arguments).map_or_else(|| Self::try_parse_from(arguments), Ok)
    }
}

fn record(arguments: &[OsString]) -> Option<Args> {
    let own = arguments.get(1..)?;
    if own.first()? != "record" {
        return None;
    }
    let described = Record::augment_args(clap::Command::new("record"));
    let mut matches = described.try_get_matches_from(own).ok()?;
    let record = Record::from_arg_matches_mut(&mut matches).ok()?;
    Some(Args {
        command: Command::Record(record),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Args> {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        record(&arguments)
    }

    #[test]
    fn a_recording_reads_as_the_whole_description_has_it() {
        for line in [
            "phperf record -p 42 -H 999 -o file.svg --quiet",
            "phperf record --fpm www -d 1.5 --request",
            "phperf record --duration 3 -- php -r 1; --help",
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let whole = Args::try_parse_from(&arguments).unwrap();
            assert_eq!(format!("{:?}", read(line).unwrap()), format!("{whole:?}"));
        }
    }

    #[test]
    fn all_else_is_for_the_whole_description() {
        for line in [
            "phperf",
            "phperf report record",
            "phperf record --help",
            "phperf record --nonsense",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
