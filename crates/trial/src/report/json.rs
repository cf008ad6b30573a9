//! For other tools.

use super::{Entry, Report, Side};
use crate::{Outcome, Stopped};
use serde_json::{Value, json};
use stats::{Interval, Sample};
use std::io::{self, Write};

/// Grows when something is renamed or removed.
pub(super) const VERSION: u32 = 1;
/// What tells it from other JSON.
pub(super) const FORMAT: &str = "phperf-compare";
const LEVEL: f64 = 0.99;

/// For other tools: one object, with every figure. `docs/compare.md` names its fields.
pub fn write_json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mean = report.geometric_mean();
    let value = json!({
        "format": FORMAT,
        "version": VERSION,
        "metric": report.metric,
        "unit": report.kind.unit(),
        "a": side(&report.a),
        "b": side(&report.b),
        "pairs": report.plan.pairs(),
        "margin": report.plan.margin(),
        "level": report.plan.confidence(),
        "seed": report.seed,
        "partial": report.partial,
        "notes": report.notes,
        "comparisons": report.entries.iter().map(|entry| comparison(entry, report.seed)).collect::<Vec<_>>(),
        "geometric_mean": mean.map(|mean| json!({"ratio": mean.value, "interval": interval(mean.interval)})),
    });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)
}

fn side(side: &Side) -> Value {
    let quantiles = |sample: &Sample| {
        json!({
            "count": sample.len(),
            "p50": sample.quantile(0.5),
            "p90": sample.quantile(0.9),
            "p99": sample.quantile(0.99),
            "p99_9": sample.quantile(0.999),
            "max": sample.max(),
        })
    };
    json!({"label": side.label, "observations": side.observations.as_ref().map(quantiles)})
}

fn comparison(entry: &Entry, seed: u64) -> Value {
    let outcome = match &entry.outcome {
        Ok(outcome) => outcome,
        Err(error) => return json!({"name": entry.name, "verdict": "failed", "error": error.to_string()}),
    };
    let Outcome {
        look, stopped, a, b, ..
    } = outcome;
    json!({
        "name": entry.name,
        "verdict": look.verdict.name(),
        "beyond_margin": look.beyond_margin,
        "ratio": (look.pairs > 0).then_some(look.ratio),
        "interval": look.interval.map(interval),
        "pairs": look.pairs,
        "more_pairs": look.more_pairs,
        "stopped": match stopped {
            Stopped::Decided => "decided",
            Stopped::AllPairs => "all pairs",
            Stopped::Early => "early",
        },
        "a": figures(a, seed),
        "b": figures(b, seed),
    })
}

fn interval(interval: Interval) -> Value {
    json!({"low": interval.low, "high": interval.high, "level": interval.level})
}

fn figures(figures: &[f64], seed: u64) -> Value {
    let Ok(sample) = Sample::new(figures.to_vec()) else {
        return json!({"figures": figures});
    };
    let outliers = sample.outliers();
    json!({
        "figures": figures,
        "median": sample.median(),
        "median_interval": interval(sample.median_interval(LEVEL, seed)),
        "mad": sample.mad(),
        "mean": sample.mean(),
        "deviation": sample.deviation(),
        "min": sample.min(),
        "max": sample.max(),
        "outliers": outliers.total(),
        "modes": sample.modes().iter().map(|mode| json!({"at": mode.at, "share": mode.share})).collect::<Vec<_>>(),
    })
}
