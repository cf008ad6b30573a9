//! Prints the table of docs/decisions/trial.md that is measured and not simulated: real PHP, compared with itself and with
//! 1 and 2 % more work, on a CPU of its own and beside busy neighbours.

mod bar;
mod layout;
mod neighbours;
mod settings;
mod subject;

use anyhow::Result;
use bar::{ALL, Bar};
use settings::Settings;
use std::time::Instant;
use subject::Work;
use trial::{Comparison, Plan, Signal, Verdict};

fn main() -> Result<()> {
    let Some(settings) = Settings::from_arguments()? else {
        return Ok(());
    };
    let php = php::Binary::cli()?;
    println!(
        "PHP {}; a figure is the least of {} times {} rounds of md5 in a fresh process; up to {} pairs, margin 1 %, each \
         interval with {} %.\n",
        php.label(),
        settings.slices,
        settings.rounds,
        settings.pairs,
        Plan::LEVEL * 100.0
    );
    println!(
        "| B does | layout | bar | faster | same | inconclusive | slower | of | estimate | pairs | load | |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut all_hold = true;
    for bar in ALL.iter().filter(|bar| settings.wants(bar.key)) {
        all_hold &= measure(bar, &settings, &php)?;
    }
    anyhow::ensure!(all_hold, "a bar was missed");
    Ok(())
}

/// Runs the comparisons of a bar and prints its row; whether it holds.
fn measure(bar: &Bar, settings: &Settings, php: &php::Binary) -> Result<bool> {
    let started = Instant::now();
    let _neighbours = bar.layout.neighbours(php)?;
    let plan = Plan::new(settings.pairs, Plan::MARGIN)?;
    let count = settings.comparisons.unwrap_or(bar.comparisons);
    let more = (settings.rounds as f64 * bar.more).round() as u64;
    let mut verdicts = [0; 4];
    let mut estimates = Vec::new();
    let mut pairs = 0;
    for seed in 0..count {
        let side = |rounds| Work::new(php, bar.layout.prefix(settings.cpu), rounds, settings.slices);
        let mut comparisons = [Comparison::new(
            bar.key,
            side(settings.rounds),
            side(settings.rounds + more),
        )];
        let outcome = trial::run(&mut comparisons, plan, 1, settings.seed + seed as u64, |_| {
            Signal::Go
        })
        .remove(0)?;
        verdicts[outcome.look.verdict as usize] += 1;
        estimates.push(outcome.look.ratio);
        pairs += outcome.look.pairs;
        if (seed + 1) % 20 == 0 {
            eprintln!(
                "{}: {} of {count}, {verdicts:?}, {:.0} s",
                bar.key,
                seed + 1,
                started.elapsed().as_secs_f64()
            );
        }
    }
    estimates.sort_by(f64::total_cmp);
    let of = |verdict: Verdict| verdicts[verdict as usize];
    let claimed = of(Verdict::Faster) + of(Verdict::Slower);
    let holds = bar.holds(
        if bar.more > 0.0 {
            of(Verdict::Slower)
        } else {
            claimed
        },
        count,
    );
    println!(
        "| {:+.0} % | {} | {} | {} | {} | {} | {} | {count} | {:+.2} % | {:.0} | {} | {} |",
        bar.more * 100.0,
        bar.layout.name(),
        bar.text(),
        of(Verdict::Faster),
        of(Verdict::Same),
        of(Verdict::Inconclusive),
        of(Verdict::Slower),
        (estimates[estimates.len() / 2] - 1.0) * 100.0,
        pairs as f64 / count as f64,
        load(),
        if holds { "holds" } else { "MISSED" }
    );
    Ok(holds)
}

/// The load of the machine over the last minute, a bar's own included.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or("?").to_owned()
}
