//! Arguments that cannot be understood: one line that names the mistake and where the cure is written.

use clap::{Command, CommandFactory, Error, error::ErrorKind};
use std::ffi::OsString;

/// What parsers of numbers say, and what is meant.
const PARSERS: [(&str, &str); 4] = [
    ("invalid digit found in string", "that is no whole number"),
    ("cannot parse integer from empty string", "a number is missing"),
    ("number too large to fit in target type", "that is too large"),
    ("0 is not in 1..18446744073709551615", "it must be at least 1"),
];

/// Those that take a command at their end.
const RUNS_COMMANDS: [&str; 3] = ["phperf record", "phperf trace", "phperf top"];

/// Prints what was asked for (help, the version), or in one line what is wrong; returns the exit code.
pub fn tell(error: &Error, arguments: &[OsString]) -> u8 {
    let asked_for =
        !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if asked_for {
        let _ = error.print();
    } else {
        let line = line(error, &crate::args::Args::command(), arguments);
        eprintln!("phperf: {}", line.replace(profile::is_unprintable, " "));
    }
    if error.use_stderr() { crate::USAGE } else { 0 }
}

/// The mistake, clap's advice if it has some, and the help that tells more.
fn line(error: &Error, command: &Command, arguments: &[OsString]) -> String {
    let text = error.render().to_string();
    // Paragraphs: the mistake, perhaps a tip, perhaps the usage, and a hint at --help.
    let mut paragraphs = text.split("\n\n").map(one_line);
    let mistake = paragraphs.next().unwrap_or_default();
    let mistake = match (error.kind(), mistake.split_once("were not provided: ")) {
        (ErrorKind::MissingRequiredArgument, Some((_, missing))) => format!("{missing} is missing"),
        _ => mistake.trim_start_matches("error: ").to_owned(),
    };
    let in_c = if error.kind() == ErrorKind::UnknownArgument && mistake.contains("'--native'") {
        "; frames of C are shown by `phperf record --native`, and by top and trace"
    } else {
        ""
    };
    let mistake = PARSERS
        .iter()
        .fold(mistake, |mistake, (theirs, ours)| mistake.replace(theirs, ours));
    let verb = verb(command, arguments);
    let is_word = error.kind() == ErrorKind::UnknownArgument
        && mistake.starts_with("unexpected argument '")
        && !mistake.starts_with("unexpected argument '-");
    let dashes = if is_word && RUNS_COMMANDS.contains(&verb.as_str()) {
        format!("; a command goes behind --, as in `{verb} -- php script.php`")
    } else {
        String::new()
    };
    let tips: String = paragraphs
        .filter_map(|paragraph| paragraph.strip_prefix("tip: ").map(|tip| format!("; {tip}")))
        .collect();
    format!("{mistake}{in_c}{dashes}{tips}; see `{verb} --help`")
}

fn one_line(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The command that was asked for, as far as its words are known: `phperf bench run`.
fn verb(root: &Command, arguments: &[OsString]) -> String {
    let mut command = root;
    let mut words = vec![root.get_name()];
    for argument in arguments {
        let Some(next) = argument.to_str().and_then(|word| command.find_subcommand(word)) else {
            break;
        };
        command = next;
        words.push(command.get_name());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn told(words: &[&str]) -> String {
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        let whole = std::iter::once(OsString::from("phperf")).chain(arguments.iter().cloned());
        let error = crate::args::Args::try_parse_from(whole).unwrap_err();
        line(&error, &crate::args::Args::command(), &arguments)
    }

    #[test]
    fn what_is_missing() {
        assert_eq!(
            told(&["record"]),
            "<--pid <PID>|--pattern <PATTERN>|--fpm [<POOL>]|COMMAND> is missing; see `phperf record --help`"
        );
        assert_eq!(
            told(&["dump"]),
            "<--pid <PID>|--pattern <PATTERN>|--fpm [<POOL>]|--core <FILE>> is missing; see `phperf dump --help`"
        );
    }

    #[test]
    fn an_option_that_other_commands_have() {
        let told = told(&["dump", "-p", "1", "--native"]);
        assert!(told.contains("`phperf record --native`"), "{told}");
    }

    #[test]
    fn a_value_that_cannot_be() {
        assert_eq!(
            told(&["record", "-H", "0", "-p", "1"]),
            "invalid value '0' for '--rate <HZ>': 0 is not in 1..=20000; see `phperf record --help`"
        );
    }

    #[test]
    fn a_number_that_is_none() {
        assert_eq!(
            told(&["record", "-p", "1", "-l", "many"]),
            "invalid value 'many' for '--limit <SAMPLES>': that is no whole number; see `phperf record --help`"
        );
    }

    #[test]
    fn a_command_without_its_dashes() {
        assert_eq!(
            told(&["record", "-d", "1", "php", "a.php"]),
            "unexpected argument 'php' found; a command goes behind --, as in `phperf record -- php script.php`; \
             see `phperf record --help`"
        );
    }

    #[test]
    fn what_nobody_knows() {
        assert_eq!(
            told(&["frobnicate"]),
            "unrecognized subcommand 'frobnicate'; see `phperf --help`"
        );
        assert_eq!(
            told(&["diff", "a", "b", "--colour"]),
            "unexpected argument '--colour' found; to pass '--colour' as a value, use '-- --colour'; \
             see `phperf diff --help`"
        );
    }

    #[test]
    fn each_is_one_line() {
        for words in [
            &["record", "-p"][..],
            &["dump", "--exe", "x"],
            &["compare", "--time", "soon", "a", "b"],
        ] {
            let line = told(words);
            assert!(!line.contains('\n') && line.contains("--help"), "{line}");
        }
    }
}
