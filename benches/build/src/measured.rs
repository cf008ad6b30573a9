//! Each pair of PHPs on each load, all of them in turns, and the table.

use crate::{
    builds::{Build, ROOT, USER},
    settings::Settings,
    side::{Side, side},
};
use anyhow::{Context, Result, ensure};
use std::{
    path::Path,
    time::{Duration, Instant},
};
use trained::{
    measure,
    training::{Page, Site},
};
use trial::{Outcome, Plan, Signal};

/// Pages that are asked for.
const LOADS: [(&str, &str); 4] = [
    ("WordPress, front page", "/wordpress/"),
    ("DokuWiki, a long page", "/wiki/doku.php?id=wiki:syntax"),
    ("WordPress, search (not trained on)", "/wordpress/?s=wind"),
    (
        "DokuWiki, its index (not trained on)",
        "/wiki/doku.php?id=start&do=index",
    ),
];

/// A program that no page is like, and of which one run takes as long as twenty pages: only what it takes to see whether a
/// training on pages costs anything there.
const PROGRAM: (&str, &str) = ("PHP's own Zend/bench.php (not trained on)", "/bench.php");
const PROGRAM_SIDES: [(Side, Side); 5] = [
    (side(Build::Plain), side(Build::Trained)),
    (side(Build::Plain), side(Build::TrainedLto)),
    (side(Build::Debian), side(Build::TrainedLto)),
    (side(Build::Debian), side(Build::TrainedLtoHuge)),
    (side(Build::Debian), side(Build::TrainedLto).huge_memory()),
];

/// What is compared: A and B.
const SIDES: [(Side, Side); 25] = [
    (side(Build::Debian), side(Build::Debian)),
    (side(Build::Debian), side(Build::Plain)),
    (side(Build::Plain), side(Build::PlainHuge)),
    (side(Build::Plain), side(Build::Trained)),
    (side(Build::Plain), side(Build::TrainedLto)),
    (side(Build::TrainedLto), side(Build::TrainedLtoHuge)),
    (side(Build::TrainedLto), side(Build::TrainedLtoBolt)),
    (side(Build::Debian), side(Build::Trained)),
    (side(Build::Debian), side(Build::TrainedLto)),
    (side(Build::Debian), side(Build::TrainedLtoHuge)),
    (side(Build::Debian), side(Build::TrainedLtoBolt)),
    (side(Build::Debian), side(Build::Debian).jit()),
    (side(Build::Debian), side(Build::TrainedLto).jit()),
    (side(Build::Debian), side(Build::TrainedLtoHuge).jit()),
    (side(Build::Debian), side(Build::TrainedLtoBolt).jit()),
    (side(Build::Debian).jit(), side(Build::TrainedLto).jit()),
    (side(Build::Debian).jit(), side(Build::TrainedLtoHuge).jit()),
    (side(Build::Debian).jit(), side(Build::TrainedLtoBolt).jit()),
    (side(Build::Debian), side(Build::Debian).huge_heap()),
    (side(Build::Debian), side(Build::Debian).huge_memory()),
    (side(Build::TrainedLto), side(Build::TrainedLto).huge_memory()),
    (
        side(Build::TrainedLto).jit(),
        side(Build::TrainedLto).jit().huge_memory(),
    ),
    (side(Build::Debian), side(Build::TrainedLto).huge_memory()),
    (side(Build::Debian), side(Build::TrainedLto).jit().huge_memory()),
    (
        side(Build::Debian).jit(),
        side(Build::TrainedLto).jit().huge_memory(),
    ),
];

/// Differences of up to so much are the same.
const MARGIN: f64 = 0.005;

/// A line of the table.
struct Row {
    /// Its first cells.
    named: String,
    page: &'static str,
    sides: [Side; 2],
}

/// The lines that are wanted.
fn rows(settings: &Settings) -> Result<Vec<Row>> {
    let pages = LOADS.iter().flat_map(|load| SIDES.map(|sides| (*load, sides)));
    let programs = PROGRAM_SIDES.map(|sides| (PROGRAM, sides));
    let all = pages.chain(programs).map(|((load, page), (a, b))| Row {
        named: format!("{load} | {a} | {b} |"),
        page,
        sides: [a, b],
    });
    let rows: Vec<_> = all.filter(|row| settings.wants(&row.named)).collect();
    ensure!(!rows.is_empty(), "no row contains that word");
    Ok(rows)
}

/// The PHPs that are measured.
pub fn builds(settings: &Settings) -> Result<Vec<Build>> {
    let rows = rows(settings)?;
    Ok(rows
        .iter()
        .flat_map(|row| row.sides.map(|side| side.build))
        .collect())
}

/// How many pages of 2 MB the sides of a pair take.
pub fn huge_pages(settings: &Settings) -> Result<u32> {
    let rows = rows(settings)?;
    let sides = rows.iter().flat_map(|row| row.sides);
    Ok(sides.map(Side::huge_pages).max().unwrap_or(0) * 2)
}

/// Measures, and prints the table. To be run where the PHPs are.
pub fn print(settings: &Settings) -> Result<()> {
    let rows = rows(settings)?;
    let sites = rows
        .iter()
        .map(|row| site(row.page))
        .collect::<Result<Vec<_>>>()?;
    let mut comparisons: Vec<_> = rows
        .iter()
        .zip(&sites)
        .map(|(row, site)| measure::requests(&row.named, row.sides.map(Side::variant), site))
        .collect();
    let plan = Plan::new(settings.pairs, MARGIN)?;
    let plan = if settings.fixed { plan.fixed() } else { plan };
    let end = settings
        .minutes
        .map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let mut last = 0;
    let outcomes = trial::run(&mut comparisons, plan, 0, settings.seed, |progress| {
        if progress.pairs >= last + 10 {
            last = progress.pairs;
            eprintln!("{} pairs, {} left at most", progress.pairs, progress.left);
        }
        if end.is_some_and(|end| Instant::now() > end) {
            Signal::Stop
        } else {
            Signal::Go
        }
    });
    println!(
        "| load | A | B | B is faster by | interval | pairs, their spread | |\n|---|---|---|---|---|---|---|"
    );
    for (row, outcome) in rows.iter().zip(outcomes) {
        match outcome {
            Ok(outcome) => println!("| {} {}", row.named, cells(&outcome)),
            Err(error) => println!("| {} – | – | – | {error} |", row.named),
        }
    }
    println!(
        "\nLoad of the machine in the last minute: {:.1}.",
        common::machine::load()
    );
    Ok(())
}

fn site(page: &str) -> Result<Site> {
    let found = Page::find(Path::new(ROOT), page, 1).with_context(|| format!("there is no {page}"))?;
    Ok(Site {
        host: "localhost".into(),
        root: ROOT.into(),
        user: Some(USER.into()),
        pages: vec![found],
        requests: 1,
    })
}

/// How much faster B is: times of A by times of B. The spread is that of the middle half of the pairs.
fn cells(outcome: &Outcome) -> String {
    let look = outcome.look;
    let interval = look.interval.map_or("too few pairs".to_owned(), |interval| {
        format!("{:.3} to {:.3}", 1.0 / interval.high, 1.0 / interval.low)
    });
    let mut gains: Vec<f64> = outcome.a.iter().zip(&outcome.b).map(|(a, b)| a / b).collect();
    gains.sort_by(f64::total_cmp);
    let at = |share: f64| gains[((gains.len() - 1) as f64 * share).round() as usize];
    let spread = if gains.is_empty() {
        "–".to_owned()
    } else {
        format!("{:.3} to {:.3}", at(0.25), at(0.75))
    };
    format!(
        "**{:.3}** | {interval} | {}, {spread} | {} |",
        1.0 / look.ratio,
        look.pairs,
        look.verdict
    )
}
