//! Histories for other tools.

use super::{Entry, Line, Point};
use crate::{model::Commit, store::Comparison};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Grows when something is renamed or removed.
const VERSION: u32 = 1;

/// Writes one object: the runs, each variant with its points, the oldest first, and the comparisons. `docs/bench-history.md` names its
/// fields.
pub fn write_json(
    runs: &[Entry],
    lines: &[Line],
    comparisons: &[Comparison],
    out: &mut dyn Write,
) -> io::Result<()> {
    let value = json!({
        "format": "phperf-bench-log",
        "version": VERSION,
        "runs": runs.iter().map(run).collect::<Vec<_>>(),
        "variants": lines.iter().map(line).collect::<Vec<_>>(),
        "comparisons": comparisons.iter().map(comparison).collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)
}

fn comparison(one: &Comparison) -> Value {
    let report = &one.report;
    let compared = report.entries.iter().map(|entry| match &entry.outcome {
        Ok(outcome) => {
            let look = &outcome.look;
            let interval = look.interval.map(|interval| {
                json!({"low": interval.low, "high": interval.high, "level": interval.level})
            });
            let ratio = (look.pairs > 0).then_some(look.ratio);
            json!({"name": entry.name, "verdict": look.verdict.name(), "ratio": ratio, "interval": interval, "pairs": look.pairs})
        }
        Err(error) => json!({"name": entry.name, "verdict": "failed", "error": error.to_string()}),
    });
    json!({
        "comparison": one.id,
        "tag": one.tag,
        "kept": one.kept,
        "a": report.a.label,
        "b": report.b.label,
        "margin": report.plan.margin(),
        "partial": report.partial,
        "comparisons": compared.collect::<Vec<_>>(),
    })
}

fn run(run: &Entry) -> Value {
    let suite = run.suite;
    json!({
        "run": run.id,
        "tag": suite.tag,
        "started": suite.started,
        "partial": suite.partial,
        "variants": suite.variants().count(),
        "failures": suite.failures().len(),
        "php": suite.environment.value("php", "version"),
        "commit": suite.environment.commit().map(commit),
    })
}

fn commit(commit: Commit) -> Value {
    json!({
        "hash": commit.hash,
        "branch": commit.branch,
        "subject": commit.subject,
        "date": commit.date,
        "changed": commit.changed,
    })
}

fn line(line: &Line) -> Value {
    json!({
        "class": line.class,
        "subject": line.subject.name,
        "set": line.variant.set,
        "metric": line.subject.metric,
        "points": line.points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn point(point: &Point) -> Value {
    let summary = point.summary;
    json!({
        "run": point.run.id,
        "median": summary.median,
        "interval": {"low": summary.interval.0, "high": summary.interval.1, "level": summary.level},
        "mad": summary.mad,
        "min": summary.min,
        "breaks": point.breaks,
    })
}
