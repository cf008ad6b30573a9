//! Prints the table of docs/build.md: Debian 12's PHP-FPM, the same sources built plain, and what `phperf build` makes of
//! them, on `WordPress` and `DokuWiki`, each pair in turns.
//!
//! All of it runs in a root of Debian 12, so that the figures are of the same PHP on every machine. This program starts
//! itself there to measure.

mod builds;
mod debian;
mod measured;
mod pool;
mod settings;
mod side;
mod wordpress;

use anyhow::{Context, Result};
use debian::{Debian, run};
use settings::Settings;
use std::{env, fs, process::Command};

/// Where it is, inside of the root.
const ITSELF: &str = "/usr/local/bin/bench-build";
/// Of real time, for what is measured.
const PRIORITY: &str = "5";

fn main() -> Result<()> {
    let Some(settings) = Settings::from_arguments()? else {
        return Ok(());
    };
    if settings.inside {
        return measured::print(&settings);
    }
    let wanted = measured::builds(&settings)?;
    let debian = Debian::get()?;
    let database = wordpress::install(&debian)?;
    builds::make(&debian, &wanted)?;
    let itself = env::current_exe().context("cannot find this program")?;
    fs::copy(itself, debian.outside(ITSELF)).context("cannot copy this program")?;
    let _pool = pool::HugePages::set_aside(measured::huge_pages(&settings)?)?;
    let what = "Debian's PHP, in a root of Debian 12.";
    println!("{}", common::machine::head("PHP that is trained", what));
    // Ahead of what else the machine does, as is the database that they wait for.
    run(Command::new("chrt").args(["-a", "-f", "-p", PRIORITY, &database.pid().to_string()]))?;
    let mut measured = debian.command("chrt");
    measured.args(["-f", PRIORITY, "taskset", "-c", &settings.cpu.to_string(), ITSELF]);
    run(measured.args(settings.for_inside()))
}
