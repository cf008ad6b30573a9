//! Prints the table of docs/decisions/trial.md that is measured and not simulated: real PHP, compared with itself and with
//! 1 and 2 % more work, on a CPU of its own and beside busy neighbours, in both ways that phperf has.

mod bar;
mod layout;
mod settings;
mod way;

use anyhow::Result;
use bar::{ALL, Bar};
use common::machine;
use serde_json::Value;
use settings::Settings;
use std::time::Instant;
use way::Way;

fn main() -> Result<()> {
    let Some(settings) = Settings::from_arguments()? else {
        return Ok(());
    };
    let php = php::Binary::cli()?;
    let what = format!("PHP {}. A subject or command is a loop of md5.", php.label());
    println!("{}", machine::head("Comparisons of real PHP", &what));
    println!(
        "| way | B does | layout | bar | faster | same | inconclusive | slower | of | estimate | interval ± | pairs, at most | load | |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut all_hold = true;
    for way in Way::ALL {
        for bar in ALL.iter().filter(|bar| settings.wants(way.key(), bar.key)) {
            all_hold &= measure(way, bar, &settings, &php)?;
        }
    }
    anyhow::ensure!(all_hold, "a bar was missed");
    Ok(())
}

/// Runs the comparisons of a bar and prints its row; whether it holds.
fn measure(way: Way, bar: &Bar, settings: &Settings, php: &php::Binary) -> Result<bool> {
    let started = Instant::now();
    let _neighbours = bar.layout.neighbours(php)?;
    let count = settings.comparisons.unwrap_or(bar.comparisons);
    let mut all: Vec<Value> = Vec::new();
    while all.len() < count {
        let next = way.at_once().min(count - all.len());
        all.extend(way.compare(bar, settings, next, settings.seed + all.len() as u64)?);
        if all.len().is_multiple_of(10) {
            let seconds = started.elapsed().as_secs_f64();
            eprintln!(
                "{} {}: {} of {count}, {seconds:.0} s",
                way.key(),
                bar.key,
                all.len()
            );
        }
    }
    let of = |verdict: &str| all.iter().filter(|one| one["verdict"] == verdict).count();
    let figure = |get: &dyn Fn(&Value) -> Option<f64>| -> f64 {
        let mut figures: Vec<f64> = all.iter().filter_map(get).collect();
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let width = |one: &Value| Some(one["interval"]["high"].as_f64()? - one["interval"]["low"].as_f64()?);
    let right = if bar.more > 0.0 {
        of("slower")
    } else {
        of("slower") + of("faster")
    };
    let holds = bar.holds(right, count);
    println!(
        "| {} | {:+.0} % | {} | {} | {} | {} | {} | {} | {count} | {:+.2} % | {:.2} % | {:.0}, {} | {} | {} |",
        way.name(),
        bar.more * 100.0,
        bar.layout.name(),
        bar.text(),
        of("faster"),
        of("same"),
        of("inconclusive"),
        of("slower"),
        (figure(&|one| one["ratio"].as_f64()) - 1.0) * 100.0,
        figure(&width) * 50.0,
        figure(&|one| one["pairs"].as_f64()),
        bar.pairs,
        machine::load(),
        if holds { "holds" } else { "MISSED" }
    );
    Ok(holds)
}
