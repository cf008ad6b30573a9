//! Man pages, from the command line's own help.
//!
//! The examples and tables that stand behind the help are text in columns of their own width. Here they become
//! terms and descriptions, which a terminal of any width can show.

use crate::committed::Files;
use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};
use cli::args::Args;

/// The page of the program and that of each of its commands, with their file names.
pub fn pages() -> Result<Files> {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let commands = with_descendants(&program);
    let names: Vec<String> = commands.iter().map(|command| page_name(command)).collect();
    commands
        .into_iter()
        .map(|command| {
            let page = page(command, &program, &names)
                .with_context(|| format!("the page of {}", page_name(command)))?;
            Ok((format!("{}.1", page_name(command)), page))
        })
        .collect()
}

/// A command, its commands, theirs, and so on.
fn with_descendants(command: &Command) -> Vec<&Command> {
    let descendants = command.get_subcommands().flat_map(with_descendants);
    std::iter::once(command).chain(descendants).collect()
}

fn page_name(command: &Command) -> String {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned()
}

fn page(command: &Command, program: &Command, names: &[String]) -> Result<Vec<u8>> {
    let after_help = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let version = program.get_version().unwrap_or_default();
    let name = program.get_name();
    let man = Man::new(
        command
            .clone()
            .override_usage(usage(command))
            .subcommand_help_heading("COMMANDS"),
    );

    // clap_mangen leaves an empty date without quotes, so that what follows it moves up.
    let title = format!(
        ".TH {} 1 \"\" \"{name} {version}\" \"{name} manual\"\n",
        page_name(command).to_uppercase()
    );
    let mut page = title.into_bytes();
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    man.render_options_section(&mut page)?;

    let mut more = Roff::new();
    for paragraph in after_help.split("\n\n") {
        section(&mut more, paragraph);
    }
    exit_status(&mut more, command.get_name());
    more.control("SH", ["SEE ALSO"]);
    let own_name = page_name(command);
    let others: Vec<String> = names
        .iter()
        .filter(|name| **name != own_name)
        .map(|name| format!("{name}(1)"))
        .collect();
    more.text([roman(others.join(", "))]);
    more.to_writer(&mut page)?;
    Ok(page)
}

/// The forms of a command line. Where one of several targets is required and a command of the user's is one of them,
/// clap's single form is hard to read.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    match usage.split_once(" <").and_then(|(head, targets)| {
        let (targets, last) = targets.strip_suffix('>')?.rsplit_once('|')?;
        let is_last = command.get_positionals().any(clap::Arg::is_last_set);
        is_last.then(|| format!("{head} {}\n{head} -- {last}...", targets.replace('|', " | ")))
    }) {
        Some(forms) => forms,
        None => usage.to_owned(),
    }
}

/// A paragraph of the text behind the help: `Heading (remark):` and lines in columns, or prose.
fn section(out: &mut Roff, paragraph: &str) {
    let Some((heading, lines)) = paragraph
        .split_once('\n')
        .and_then(|(first, lines)| Some((first.strip_suffix(':')?, lines)))
    else {
        out.control("SH", ["NOTES"]);
        out.text([roman(paragraph.replace('\n', " "))]);
        return;
    };
    let (heading, remark) = heading.split_once(" (").unwrap_or((heading, ""));
    out.control("SH", [heading.to_uppercase().as_str()]);
    if let Some(remark) = remark.strip_suffix(')') {
        out.text([roman(format!("{remark}:"))]);
    }
    for line in lines.lines() {
        // What is about the line before, for want of room beside it.
        if let Some(words) = line.strip_prefix("      ") {
            out.text([roman(words)]);
            continue;
        }
        // Columns are two blanks or more apart.
        let columns: Vec<&str> = line
            .split("  ")
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .collect();
        let Some((term, rest)) = columns.split_first() else {
            continue;
        };
        out.control("TP", []);
        match rest.split_last() {
            Some((meaning, between)) => {
                let mut header = vec![bold(*term)];
                header.extend(between.iter().map(|text| roman(format!(" {text}"))));
                out.text(header);
                out.text([roman(*meaning)]);
            }
            None => {
                out.text([bold(*term)]);
            }
        }
    }
}

/// What the exit codes of crates/cli/src/lib.rs mean to a user.
fn exit_status(out: &mut Roff, command: &str) {
    let (success, failure) = match command {
        "record" => (
            "The profile was written. With a command, its exit code takes the place of 0, or 128 and the \
             number of the signal that ended it.",
            "Nothing could be recorded, or the profile was not written where it was to be: standard error says \
             why, and what helps.",
        ),
        "dump" => (
            "All stacks were printed.",
            "Of at least one process there is none: standard error says why, and what helps.",
        ),
        "compare" => (
            "The result was printed, whatever it is.",
            "There is no result; or with --fail-on-slower, B is slower beyond the margin.",
        ),
        "report" => (
            "The report was printed.",
            "The file cannot be read as a profile: standard error says why.",
        ),
        _ => (
            "It worked.",
            "It did not: standard error says why, and what helps.",
        ),
    };
    out.control("SH", ["EXIT STATUS"]);
    let mut codes = vec![
        ("0", success),
        ("1", failure),
        ("2", "The arguments make no sense."),
    ];
    match command {
        "record" => codes.push((
            "130",
            "Ctrl-C was pressed twice, and what was recorded may be lost.",
        )),
        "compare" => codes.extend([
            ("3", "With --fail-on-inconclusive, the result is inconclusive."),
            (
                "130",
                "Ctrl-C was pressed: the result is that of the pairs measured until then, and says so.",
            ),
        ]),
        _ => {}
    }
    for (code, meaning) in codes {
        out.control("TP", []);
        out.text([bold(code)]);
        out.text([roman(meaning)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_that_names_its_options() {
        let pages = pages().unwrap();
        let names: Vec<&str> = pages.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "phperf-bench-compare.1",
                "phperf-bench-export.1",
                "phperf-bench-import.1",
                "phperf-bench-log.1",
                "phperf-bench-run.1",
                "phperf-bench-show.1",
                "phperf-bench.1",
                "phperf-build.1",
                "phperf-compare.1",
                "phperf-convert.1",
                "phperf-diff.1",
                "phperf-dump.1",
                "phperf-hugepages-apply.1",
                "phperf-hugepages-perf-map.1",
                "phperf-hugepages-revert.1",
                "phperf-hugepages-status.1",
                "phperf-hugepages-verify.1",
                "phperf-hugepages-warm.1",
                "phperf-hugepages.1",
                "phperf-record.1",
                "phperf-report.1",
                "phperf-swap.1",
                "phperf-top.1",
                "phperf-trace.1",
                "phperf.1",
            ]
        );
        let record = String::from_utf8(pages["phperf-record.1"].clone()).unwrap();
        for option in [r"\-\-fpm", r"\-\-source", r"\-\-summary\-json"] {
            assert!(record.contains(option), "{option} is missing:\n{record}");
        }
    }

    #[test]
    fn columns_become_terms_and_prose_stays_prose() {
        let mut roff = Roff::new();
        section(
            &mut roff,
            "Formats (-f):\n  svg   .svg    a picture\n  a b c    does it",
        );
        section(&mut roff, "Sampling takes\nroot.");
        assert_eq!(
            roff.to_roff(),
            ".SH FORMATS\n\\-f:\n.TP\n\\fBsvg\\fR .svg\na picture\n.TP\n\\fBa b c\\fR\ndoes it\n\
             .SH NOTES\nSampling takes root.\n"
        );
    }
}
