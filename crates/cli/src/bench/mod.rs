//! `phperf bench`.

pub mod args;
mod given;
mod progress;
mod run;

use anyhow::Result;

/// Runs a verb of `bench`.
pub fn run(asked: &args::Bench) -> Result<u8> {
    match &asked.command {
        args::Command::Run(asked) => run::run(asked),
    }
}
