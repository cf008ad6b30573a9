//! `phperf bench`.

pub mod args;
mod compare;
mod given;
mod progress;
mod reports;
mod run;
mod store;
mod xml;

use anyhow::Result;

/// Runs a verb of `bench`.
pub fn run(asked: &args::Bench) -> Result<u8> {
    match &asked.command {
        args::Command::Run(asked) => run::run(asked),
        args::Command::Compare(asked) => compare::run(asked),
        args::Command::Log(asked) => store::log(asked),
        args::Command::Show(asked) => store::show(asked),
        args::Command::Export(asked) => xml::export(asked),
        args::Command::Import(asked) => xml::import(asked),
    }
}
