//! Prints what `phperf bench run` costs and how true its figures are, as Markdown. Where `PHPBENCH` names it, `PHPBench`
//! runs the same suites.

mod cost;
mod empty;
mod seed;
mod tool;

use anyhow::Result;
use std::{env, fs};

fn main() -> Result<()> {
    let quick = env::args().any(|argument| argument == "--quick");
    let folder = tempfile::tempdir()?;
    let tool = tool::Tool::from_environment(folder.path())?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "# phperf bench: its own cost\n\nLoad of the machine at the start: {}\n",
        load.trim()
    );
    cost::print(&tool, if quick { 1 } else { 5 })?;
    empty::print(&tool)?;
    seed::print(&tool, if quick { 2 } else { 10 })
}
