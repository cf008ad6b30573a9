//! The command line of phpspy.

use super::posix;
use crate::UsageError;
use lexopt::{Arg, Parser, ValueExt};
use profile::Label;
use regex_lite::Regex;
use sampler::{BadPeek, Peek};
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// What was asked for.
#[derive(Debug)]
pub enum Asked {
    Help,
    Version,
    Trace(Box<Trace>),
}

/// Which processes.
#[derive(Debug, PartialEq, Eq)]
pub enum Target {
    Pid(u32),
    /// The arguments of pgrep.
    Pgrep(String),
    Command(Vec<OsString>),
}

/// A trace.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of phpspy")]
pub struct Trace {
    pub target: Target,
    /// The time between two traces.
    pub period: Duration,
    /// Less was asked for.
    pub is_too_fast: bool,
    pub limit: Option<u64>,
    pub time: Option<Duration>,
    pub max_depth: u16,
    pub output: PathBuf,
    pub child_stdout: String,
    pub child_stderr: String,
    pub single_line: bool,
    /// What a stack's text has to match, or must not.
    pub filter: Option<(Regex, bool)>,
    pub has_pid: bool,
    pub has_time: bool,
    pub callgrind: bool,
    pub top: bool,
    pub peeks: Vec<Peek>,
    /// Parts of the request.
    pub request: Vec<Label>,
    pub memory: bool,
}

/// The shortest time between two traces.
const SHORTEST: Duration = Duration::from_nanos(1_000_000_000 / sampler::MAX_RATE as u64);

/// The letters of `-r`.
const REQUEST: [(char, Label); 4] = [
    ('u', Label::Uri),
    ('p', Label::Script),
    ('q', Label::Query),
    ('c', Label::Cookie),
];

/// The deepest stack, where none is asked for.
const DEEPEST: u16 = 512;

/// Reads the arguments behind the program's name. `is_quiet` is set as soon as `-q` is met: mistakes behind it are not told.
pub fn parse(arguments: impl Iterator<Item = OsString>, is_quiet: &mut bool) -> Result<Asked, UsageError> {
    let mut asked = Trace {
        target: Target::Command(Vec::new()),
        period: Duration::from_nanos(1_000_000_000 / 99),
        is_too_fast: false,
        limit: None,
        time: None,
        max_depth: DEEPEST,
        output: "-".into(),
        child_stdout: "phpspy.%d.out".into(),
        child_stderr: "phpspy.%d.err".into(),
        single_line: false,
        filter: None,
        has_pid: false,
        has_time: false,
        callgrind: false,
        top: false,
        peeks: Vec::new(),
        request: Vec::new(),
        memory: false,
    };
    let mut parser = Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Asked::Help),
            Arg::Short('v') | Arg::Long("version") => return Ok(Asked::Version),
            Arg::Value(command) => {
                let mut whole = vec![command];
                whole.extend(parser.raw_args()?);
                asked.target = Target::Command(whole);
                break;
            }
            argument => match &*name(&argument) {
                "q" => *is_quiet = true,
                name => option(name, &mut parser, &mut asked)?,
            },
        }
    }
    match &asked.target {
        Target::Command(command) if command.is_empty() => Err(UsageError(
            "nothing to trace: give -p PID, -P PGREP-ARGUMENTS or a command (phpspy -h)".into(),
        )),
        _ => Ok(Asked::Trace(Box::new(asked))),
    }
}

/// The short name of an option, whichever was given.
fn name(argument: &Arg<'_>) -> String {
    const LONG: [(&str, &str); 25] = [
        ("pid", "p"),
        ("pgrep", "P"),
        ("threads", "T"),
        ("sleep-ns", "s"),
        ("rate-hz", "H"),
        ("php-version", "V"),
        ("limit", "l"),
        ("time-limit-ms", "i"),
        ("max-depth", "n"),
        ("request-info", "r"),
        ("memory-usage", "m"),
        ("output", "o"),
        ("child-stdout", "O"),
        ("child-stderr", "E"),
        ("addr-executor-globals", "x"),
        ("addr-sapi-globals", "a"),
        ("single-line", "1"),
        ("buffer-size", "b"),
        ("filter", "f"),
        ("filter-negate", "F"),
        ("verbose-fields", "d"),
        ("continue-on-error", "c"),
        ("quiet", "q"),
        ("libname-awk-patt", "w"),
        ("comment", "#"),
    ];
    const MORE: [(&str, &str); 7] = [
        ("nothing", "@"),
        ("event-handler", "j"),
        ("event-handler-opts", "J"),
        ("pause-process", "S"),
        ("peek-var", "e"),
        ("peek-global", "g"),
        ("top", "t"),
    ];
    match argument {
        Arg::Short(short) => short.to_string(),
        Arg::Long(long) => {
            // As getopt has it, the beginning of a name will do if no other begins so.
            let mut alike = LONG
                .iter()
                .chain(&MORE)
                .filter(|(name, _)| name.starts_with(long));
            let whole = LONG.iter().chain(&MORE).find(|(name, _)| name == long);
            let known = whole.or_else(|| alike.next().filter(|_| alike.next().is_none()));
            known.map_or_else(|| format!("-{long}"), |(_, short)| (*short).to_owned())
        }
        Arg::Value(_) => String::new(),
    }
}

fn option(name: &str, parser: &mut Parser, asked: &mut Trace) -> Result<(), UsageError> {
    let mut value = || -> Result<String, UsageError> { Ok(parser.value()?.string()?) };
    match name {
        "p" => asked.target = Target::Pid(number(name, &value()?, 1..=i64::from(i32::MAX))? as u32),
        "P" => asked.target = Target::Pgrep(value()?),
        "s" => {
            let ns = number(name, &value()?, 1..=i64::MAX)?;
            set_period(asked, Duration::from_nanos(ns as u64));
        }
        "H" => {
            let rate = number(name, &value()?, 1..=i64::MAX)?;
            set_period(asked, Duration::from_nanos(1_000_000_000 / rate as u64));
        }
        "l" => asked.limit = Some(number(name, &value()?, 0..=i64::MAX)? as u64).filter(|&limit| limit > 0),
        "i" => {
            let ms = number(name, &value()?, 0..=i64::MAX)? as u64;
            asked.time = Some(Duration::from_millis(ms)).filter(|time| !time.is_zero());
        }
        "n" => {
            let depth = number(name, &value()?, -1..=i64::from(i32::MAX))?;
            asked.max_depth = if depth < 1 {
                DEEPEST
            } else {
                depth.min(DEEPEST.into()) as u16
            };
        }
        "o" => asked.output = value()?.replace("%d", &std::process::id().to_string()).into(),
        "O" => asked.child_stdout = value()?,
        "E" => asked.child_stderr = value()?,
        "1" => asked.single_line = true,
        "f" | "F" => asked.filter = Some((expression(name, &value()?)?, name == "F")),
        "d" => {
            for letter in value()?.chars() {
                match letter {
                    'p' | 'P' => asked.has_pid = letter == 'p',
                    't' | 'T' => asked.has_time = letter == 't',
                    _ => {}
                }
            }
        }
        "t" => asked.top = true,
        "j" => match value()?.as_str() {
            "fout" => asked.callgrind = false,
            "callgrind" => asked.callgrind = true,
            _ => return Err(UsageError("-j takes fout or callgrind".into())),
        },
        "r" => set_request(&mut asked.request, &value()?),
        "m" => asked.memory = true,
        "e" => asked.peeks.push(peek(name, Peek::variable(&value()?))?),
        "g" => asked.peeks.push(peek(name, Peek::global(&value()?))?),
        // Kept in name: phperf finds versions and addresses itself, needs no threads, goes on after errors and never
        // stops a process.
        "T" | "b" => drop(number(name, &value()?, 1..=i64::from(i32::MAX))?),
        "V" | "x" | "a" | "w" | "J" | "#" => drop(value()?),
        "c" | "@" | "S" => {}
        _ => {
            return Err(UsageError(format!(
                "phpspy has no option -{name}: phpspy -h lists them"
            )));
        }
    }
    Ok(())
}

fn set_period(asked: &mut Trace, period: Duration) {
    (asked.period, asked.is_too_fast) = (period.max(SHORTEST), period < SHORTEST);
}

fn peek(name: &str, peek: Result<Peek, BadPeek>) -> Result<Peek, UsageError> {
    peek.map_err(|error| UsageError(format!("-{name}: {error}")))
}

/// A letter adds its part, a capital takes it away.
fn set_request(parts: &mut Vec<Label>, letters: &str) {
    let wanted = REQUEST.into_iter().filter(|&(letter, label)| {
        let last = letters
            .chars()
            .rev()
            .find(|other| other.eq_ignore_ascii_case(&letter));
        last.map_or(parts.contains(&label), |last| last == letter)
    });
    *parts = wanted.map(|(_, label)| label).collect();
}

impl From<lexopt::Error> for UsageError {
    fn from(error: lexopt::Error) -> Self {
        Self(error.to_string())
    }
}

fn number(name: &str, text: &str, range: std::ops::RangeInclusive<i64>) -> Result<i64, UsageError> {
    let number = text.trim().parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        UsageError(format!(
            "-{name} {text}: give a number from {} to {}",
            range.start(),
            range.end()
        ))
    })
}

fn expression(name: &str, text: &str) -> Result<Regex, UsageError> {
    posix::expression(text)
        .map_err(|error| UsageError(format!("-{name} {text:?} is no regular expression: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(line: &str) -> Trace {
        match parse(line.split(' ').map(OsString::from), &mut false) {
            Ok(Asked::Trace(trace)) => *trace,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn options_are_taken_as_phpspy_takes_them() {
        let asked = trace(
            "-H 250 -p 12 -1 -l 0 -i 1500 -n -1 -o out.%d -dpt -c -# why -V 82 -b 65536 -T 4 -x 0 -rQCUP",
        );
        assert_eq!(
            (asked.target, asked.period, asked.limit),
            (Target::Pid(12), Duration::from_millis(4), None)
        );
        assert_eq!(
            (asked.time, asked.max_depth),
            (Some(Duration::from_millis(1500)), 512)
        );
        assert!(asked.single_line && asked.has_pid && asked.has_time);
        assert_eq!(asked.output, PathBuf::from(format!("out.{}", std::process::id())));
        let asked = trace("-H 99999 --lim=3 --event-handler=fout --event-handler-o m -p 3");
        assert_eq!(
            (asked.period, asked.is_too_fast, asked.limit),
            (Duration::from_micros(50), true, Some(3))
        );
        let asked = trace("--sleep-ns=5000000000 --limit=3 --max-depth 7 --pgrep=-x --top");
        let period = Duration::from_secs(5);
        assert_eq!((asked.period, asked.limit, asked.max_depth), (period, Some(3), 7));
        assert_eq!((asked.target, asked.top), (Target::Pgrep("-x".into()), true));
        let asked = trace("-q -F ^0.sleep -- php -r x -p 3");
        let command = ["php", "-r", "x", "-p", "3"].map(OsString::from);
        assert_eq!(asked.target, Target::Command(command.to_vec()));
        let (filter, negated) = asked.filter.unwrap();
        assert!(negated && filter.is_match("x\n0 sleep") && !filter.is_match("10 sleep"));
        let asked = trace("-e x@/a.php:3-4 --peek-global=server.A -g get.b -p 3");
        let peeks = [
            Peek::variable("x@/a.php:3-4"),
            Peek::global("server.A"),
            Peek::global("get.b"),
        ];
        assert_eq!(asked.peeks, peeks.map(Result::unwrap));
        let parse = |option: &str| parse([option.into()].into_iter(), &mut false);
        assert!(matches!(parse("-h"), Ok(Asked::Help)));
        assert!(matches!(parse("--version"), Ok(Asked::Version)));
    }

    #[test]
    fn parts_of_the_request_come_and_go_by_letter() {
        let request = |line: &str| match parse(line.split(' ').map(OsString::from), &mut false) {
            Ok(Asked::Trace(trace)) => trace.request,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(request("-p 1 -r QCUP"), []);
        assert_eq!(
            request("-p 1 -r qcup"),
            [Label::Uri, Label::Script, Label::Query, Label::Cookie]
        );
        assert_eq!(request("-p 1 -r qu -r Qp"), [Label::Uri, Label::Script]);
    }

    #[test]
    fn mistakes_behind_quiet_are_not_told() {
        for (line, expected) in [("-q -H 0", true), ("-H 0 -q", false), ("-1q -Z", true)] {
            let mut is_quiet = false;
            parse(line.split(' ').map(OsString::from), &mut is_quiet).unwrap_err();
            assert_eq!(is_quiet, expected, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_is_told() {
        let error = |line: &str| match parse(line.split(' ').map(OsString::from), &mut false) {
            Err(error) => error.0,
            other => panic!("{line}: {other:?}"),
        };
        assert!(error("-e x@a.php -p 1").starts_with("-e: \"x@a.php\" is no variable"));
        assert!(error("-g x.y -p 1").starts_with("-g: \"x.y\" is no global"));
        assert!(error("-p 0").starts_with("-p 0: give a number from 1"));
        assert!(error("-H x -p 1").starts_with("-H x"));
        assert!(error("-T 0 -p 1").starts_with("-T 0") && error("-b x -p 1").starts_with("-b x"));
        assert!(error("-f ( -p 1").contains("no regular expression"));
        assert!(error("-Z -p 1").contains("no option -Z"));
        assert!(
            error("--pe x@a.php:3 -p 1").contains("no option --pe"),
            "one of two"
        );
        assert!(error("--frob -p 1").contains("no option --frob"));
        assert!(error("-1").starts_with("nothing to trace"));
    }
}
