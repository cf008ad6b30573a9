//! Histories for other tools.

use super::{Entry, Line, Point};
use crate::model::Commit;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Grows when something is renamed or removed.
const VERSION: u32 = 1;

/// Writes one object: the runs, and each variant with its points, the oldest first. `docs/bench-history.md` names its
/// fields.
pub fn write_json(runs: &[Entry], lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
    let value = json!({
        "format": "phperf-bench-log",
        "version": VERSION,
        "runs": runs.iter().map(run).collect::<Vec<_>>(),
        "variants": lines.iter().map(line).collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)
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
