//! Completions for shells, from the command line's own types.

use crate::committed::Files;
use anyhow::{Context, Result};
use clap::{Arg, Command, CommandFactory, builder::PossibleValuesParser};
use clap_complete::{Generator, Shell, generate};
use cli::args::Args;

const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// A script for each shell, with the name under which the shell looks for it.
pub fn scripts() -> Result<Files> {
    SHELLS.into_iter().map(script).collect()
}

fn script(shell: Shell) -> Result<(String, Vec<u8>)> {
    let mut command = command()?;
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(shell, &mut command, &name, &mut script);
    Ok((shell.file_name(&name), script))
}

/// The command line, with the formats spelled out: phperf itself parses them with words of its own.
fn command() -> Result<Command> {
    let command = Args::command();
    command
        .find_subcommand("record")
        .and_then(|record| record.get_arguments().find(|arg| arg.get_id() == "format"))
        .context("`phperf record` has no --format any more: adapt the completions")?;
    let formats = export::Format::ALL.map(export::Format::name);
    Ok(command.mut_subcommand("record", |record| {
        record.mut_arg("format", |format: Arg| {
            format.value_parser(PossibleValuesParser::new(formats))
        })
    }))
}
