//! The tables of docs/decisions/trial.md: error rates of ways to compare, on simulated machines.
//!
//!     cargo run --release -p phperf-trial --example simulate [TRIALS]

#[path = "../tests/simulation/noise.rs"]
mod noise;

use fastrand::Rng;
use noise::{Machine, Noise};
use stats::{LogRatios, geometric_mean};
use trial::{Order, Plan, Trial, Verdict};

const PAIRS: usize = Plan::PAIRS;

/// A way to compare; whether it says that B differs from A.
type Way = fn(noise: Noise, factor: f64, seed: u64) -> bool;

const WAYS: [(&str, Way); 5] = [
    ("all A, then all B; U test of 1 %", one_after_the_other),
    ("A B A B; bootstrap of 99.7 %", in_turns),
    ("random order; bootstrap of 99.7 %", at_the_end),
    (
        "random order; signed-rank test of 0.3 % after each pair",
        after_each_pair,
    ),
    ("as phperf does, no margin", as_phperf),
];

fn main() {
    let trials = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(2000);
    println!(
        "| claimed of the same code, {trials} trials of {PAIRS} pairs |{}",
        header()
    );
    println!("|---|{}", "---|".repeat(Noise::ALL.len()));
    for (name, way) in WAYS {
        row(name, trials, |noise, seed| way(noise, 1.0, seed));
    }
    println!("\n| found by phperf, margin 1 % |{}", header());
    println!("|---|{}", "---|".repeat(Noise::ALL.len()));
    for factor in [1.01, 1.02, 1.05, 1.1] {
        row(
            &format!("{:+.0} %", (factor - 1.0) * 100.0),
            trials,
            |noise, seed| {
                let trial = phperf(noise, factor, Plan::MARGIN, seed);
                trial.finish().look.verdict == Verdict::Slower
            },
        );
    }
}

fn header() -> String {
    let names: Vec<&str> = Noise::ALL.iter().map(|noise| noise.name()).collect();
    format!(" {} |", names.join(" | "))
}

fn row(name: &str, trials: u64, holds: impl Fn(Noise, u64) -> bool) {
    print!("| {name} |");
    for noise in Noise::ALL {
        let count = (0..trials).filter(|&seed| holds(noise, seed)).count();
        print!(" {:.2} % |", count as f64 * 100.0 / trials as f64);
    }
    println!();
}

fn one_after_the_other(noise: Noise, factor: f64, seed: u64) -> bool {
    let mut machine = Machine::new(noise, seed);
    let a: Vec<f64> = (0..PAIRS).map(|_| machine.figure()).collect();
    let b: Vec<f64> = (0..PAIRS).map(|_| machine.figure() * factor).collect();
    let n = PAIRS as f64;
    let above = b
        .iter()
        .map(|b| a.iter().filter(|a| *a < b).count())
        .sum::<usize>() as f64;
    let z = (above - n * n / 2.0) / (n * n * (2.0 * n + 1.0) / 12.0).sqrt();
    z.abs() > 2.576
}

fn pairs(noise: Noise, factor: f64, seed: u64, mut order: impl FnMut() -> Order) -> LogRatios {
    let mut machine = Machine::new(noise, seed);
    let pairs: Vec<_> = (0..PAIRS)
        .map(|_| {
            let (first, second) = (machine.figure(), machine.figure());
            match order() {
                Order::AFirst => (first, second * factor),
                Order::BFirst => (second, first * factor),
            }
        })
        .collect();
    LogRatios::new(&pairs).expect("figures are above 0")
}

fn random(seed: u64) -> impl FnMut() -> Order {
    let mut rng = Rng::with_seed(!seed);
    move || if rng.bool() { Order::AFirst } else { Order::BFirst }
}

fn in_turns(noise: Noise, factor: f64, seed: u64) -> bool {
    bootstrap(pairs(noise, factor, seed, || Order::AFirst), seed)
}

fn at_the_end(noise: Noise, factor: f64, seed: u64) -> bool {
    bootstrap(pairs(noise, factor, seed, random(seed)), seed)
}

fn bootstrap(ratios: LogRatios, seed: u64) -> bool {
    let mean = geometric_mean(&[ratios], Plan::LEVEL, seed).expect("there are pairs");
    !mean.interval.contains(1.0)
}

fn after_each_pair(noise: Noise, factor: f64, seed: u64) -> bool {
    let all = pairs(noise, factor, seed, random(seed));
    let mut so_far = LogRatios::default();
    all.values().iter().any(|log| {
        so_far.push(1.0, log.exp()).expect("figures are above 0");
        so_far
            .interval(Plan::LEVEL)
            .is_some_and(|interval| !interval.contains(0.0))
    })
}

fn as_phperf(noise: Noise, factor: f64, seed: u64) -> bool {
    let verdict = phperf(noise, factor, 0.0, seed).finish().look.verdict;
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

fn phperf(noise: Noise, factor: f64, margin: f64, seed: u64) -> Trial {
    let mut machine = Machine::new(noise, seed);
    let mut trial = Trial::new(Plan::new(PAIRS, margin).expect("it makes sense"), !seed);
    while !trial.is_over() {
        let order = trial.order();
        let (first, second) = (machine.figure(), machine.figure());
        let (a, b) = match order {
            Order::AFirst => (first, second),
            Order::BFirst => (second, first),
        };
        trial.record(a, b * factor).expect("figures are above 0");
    }
    trial
}
