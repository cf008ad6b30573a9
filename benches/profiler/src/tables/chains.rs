//! Stacks that cannot exist.

use super::Asked;
use crate::{
    bench::Bench,
    figure::Unit,
    load::Scripts,
    profiler::{Profiler, Request},
    rounds::{columns, rounds},
    stacks::{self, plain_name},
    table::{Cell, Row, Table},
};
use anyhow::{Context, Result, anyhow, ensure};
use php::workload;
use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    process::Command,
};

pub const NAME: &str = "chains";

/// All rounds together, in seconds.
const SECONDS: f64 = 60.0;
/// Several at once, more than there are CPUs on most machines to test on, so that they migrate.
const COUNT: usize = 3;
const HZ: u32 = 999;

pub fn run(bench: &Bench) -> Table {
    let label = format!("{COUNT} × chains, {HZ} Hz");
    let seconds = (bench.settings.window(SECONDS) / bench.settings.runs as f64).max(2.0);
    let prepared = allowed(bench).and_then(|allowed| Ok((allowed, Scripts::start(bench, "chains", COUNT)?)));
    let results = rounds(bench, &label, |profiler| {
        let (allowed, scripts) = prepared.as_ref().map_err(|error| anyhow!("{error:#}"))?;
        round(bench, profiler, allowed, scripts, seconds)
    });
    let cells = |text: fn(&[Round]) -> Cell| {
        results
            .iter()
            .map(|(profiler, result)| match result {
                Ok(rounds) => text(rounds).asked(Asked::at_most(0.0, 0.0).of(*profiler)),
                Err(why) => Cell::Without(why.clone()),
            })
            .collect()
    };
    let rows = vec![
        Row {
            label: format!("{label}: stacks that cannot exist"),
            cells: cells(|rounds| {
                let all: u64 = rounds.iter().map(|round| round.all).sum();
                let bad: u64 = rounds.iter().map(|round| round.bad).sum();
                let values = rounds.iter().map(Round::percent).collect();
                Cell::figures(values, Unit::Percent).aside(format!("{bad} of {all} in all"))
            }),
        },
        Row {
            label: "of them without `<main>`".into(),
            cells: cells(|rounds| {
                Cell::figures(
                    rounds.iter().map(|round| round.truncated as f64).collect(),
                    Unit::Count,
                )
            }),
        },
    ];
    for (profiler, result) in &results {
        if let Some(most) = most_frequent(result.iter().flatten()) {
            bench.note(format!("what {profiler} showed most often: {most}."));
        }
    }
    Table {
        name: NAME,
        title: "Stacks that cannot exist",
        method: format!(
            "`workloads/chains.php`, which knows all its call chains, {COUNT} times at once, free to migrate, \
             never waiting; {seconds:.0} s per run."
        ),
        columns: columns(bench),
        rows,
        notes: bench.take_notes(),
    }
}

/// What one recording showed.
#[derive(Debug, Default)]
struct Round {
    all: u64,
    bad: u64,
    truncated: u64,
    kinds: HashMap<String, u64>,
}

impl Round {
    fn percent(&self) -> f64 {
        100.0 * self.bad as f64 / self.all.max(1) as f64
    }
}

/// The three chains that were shown most often though they cannot exist, and how often.
fn most_frequent<'a>(rounds: impl Iterator<Item = &'a Round>) -> Option<String> {
    let mut kinds: HashMap<&str, u64> = HashMap::new();
    for (chain, count) in rounds.flat_map(|round| &round.kinds) {
        *kinds.entry(chain).or_default() += count;
    }
    let mut kinds: Vec<_> = kinds.into_iter().map(|(chain, count)| (count, chain)).collect();
    kinds.sort_unstable_by(|one, other| other.cmp(one));
    let most: Vec<_> = kinds
        .iter()
        .take(3)
        .map(|(count, chain)| format!("{count} × `{chain}`"))
        .collect();
    (!most.is_empty()).then(|| most.join(", "))
}

fn round(
    bench: &Bench,
    profiler: Profiler,
    allowed: &HashSet<String>,
    scripts: &Scripts,
    seconds: f64,
) -> Result<Round> {
    let request = Request {
        targets: scripts.targets(),
        hz: HZ,
        seconds,
    };
    let recording = bench.record(profiler, &request)?;
    let mut round = Round::default();
    let mut chain = String::new();
    round.all = stacks::read(&recording.files.stacks, |frames| {
        chain.clear();
        for frame in frames.iter().rev() {
            let separator = if chain.is_empty() { "" } else { ";" };
            let _ = write!(chain, "{separator}{}", plain_name(frame.name));
        }
        if !allowed.contains(&chain) {
            round.bad += 1;
            round.truncated += u64::from(!chain.starts_with("<main>"));
            *round.kinds.entry(chain.clone()).or_default() += 1;
        }
    })?;
    ensure!(round.all > 0, "it took no stack");
    Ok(round)
}

/// Each chain that can exist, as the program itself lists them.
fn allowed(bench: &Bench) -> Result<HashSet<String>> {
    let output = Command::new(&bench.php.path)
        .arg(workload("chains.php"))
        .arg("--list")
        .output()
        .context("cannot ask chains.php for its chains")?;
    let list = String::from_utf8(output.stdout).context("chains.php does not list its chains")?;
    ensure!(list.contains("<main>"), "chains.php does not list its chains");
    Ok(list.lines().map(str::to_owned).collect())
}
