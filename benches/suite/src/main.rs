//! Prints what `phperf bench run` costs and how true its figures are, as Markdown. Where `PHPBENCH` names it, `PHPBench`
//! runs the same suites. `--only` names one table: cost, empty, instructions or seed.

mod cost;
mod empty;
mod instructions;
mod seed;
mod tool;

use anyhow::Result;
use std::env;

fn main() -> Result<()> {
    let quick = env::args().any(|argument| argument == "--quick");
    let only = env::args().skip_while(|argument| argument != "--only").nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let folder = tempfile::tempdir()?;
    let tool = tool::Tool::from_environment(folder.path())?;
    let what = format!("PHP {}.", php::Binary::cli()?.label());
    println!("{}", common::machine::head("phperf bench: its own cost", &what));
    if wanted("cost") {
        cost::print(&tool, if quick { 1 } else { 5 })?;
    }
    if wanted("empty") {
        empty::print(&tool)?;
    }
    if wanted("instructions") {
        instructions::print(&tool, if quick { 3 } else { 10 })?;
    }
    if wanted("seed") {
        seed::print(&tool, if quick { 2 } else { 10 })?;
    }
    Ok(())
}
