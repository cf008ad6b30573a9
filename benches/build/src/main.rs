//! Prints the table of docs/build.md: Debian 12's PHP-FPM, the same sources built plain, and what `phperf build` makes of
//! them, on `WordPress` and `DokuWiki`, each pair in turns.
//!
//! All of it runs in a root of Debian 12, so that the figures are of the same PHP on every machine. This program starts
//! itself there to measure.

mod builds;
mod debian;
mod measured;
mod settings;
mod wordpress;

use anyhow::{Context, Result};
use debian::{Debian, run};
use settings::Settings;
use std::{env, fs};

/// Where it is, inside of the root.
const ITSELF: &str = "/usr/local/bin/bench-build";

fn main() -> Result<()> {
    let Some(settings) = Settings::from_arguments()? else {
        return Ok(());
    };
    if settings.inside {
        return measured::print(&settings);
    }
    let debian = Debian::get()?;
    let _database = wordpress::install(&debian)?;
    builds::all(&debian)?;
    let itself = env::current_exe().context("cannot find this program")?;
    fs::copy(itself, debian.outside(ITSELF)).context("cannot copy this program")?;
    println!("{}\n", common::machine::describe());
    let mut measured = debian.command("taskset");
    measured.args(["-c", &settings.cpu.to_string(), ITSELF]);
    run(measured.args(settings.for_inside()))
}
