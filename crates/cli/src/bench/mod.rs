//! `phperf bench`.

pub mod args;
mod compare;
mod files;
mod given;
mod log;
mod pages;
mod progress;
mod recorder;
mod reports;
mod run;
mod show;
mod store;

use anyhow::Result;

/// Runs a verb of `bench`.
pub fn run(asked: &args::Bench) -> Result<u8> {
    match &asked.command {
        args::Command::Run(asked) => run::run(asked),
        args::Command::Compare(asked) => compare::run(asked),
        args::Command::Log(asked) => log::log(asked),
        args::Command::Show(asked) => show::show(asked),
        args::Command::Export(asked) => files::export(asked),
        args::Command::Import(asked) => files::import(asked),
    }
}
