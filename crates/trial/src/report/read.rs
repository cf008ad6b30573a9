//! A report as it was written as JSON. Figures are kept and all else follows from them: a trial that is given the same pairs
//! looks at the same moments and says the same.

use super::{Entry, Kind, Report, Side};
use crate::{Plan, Trial, TrialError};
use serde_json::Value;

/// Whether [`write_json`](super::write_json) wrote this, of whatever version.
pub fn is_comparison(value: &Value) -> bool {
    value["format"] == super::json::FORMAT
}

/// Reads what [`write_json`](super::write_json) wrote; in one line, why it cannot be. What is not in it are the single
/// observations of a side.
pub fn read_json(value: &Value) -> Result<Report, String> {
    if !is_comparison(value) || value["version"] != super::json::VERSION {
        return Err("it is no comparison of this version".into());
    }
    report(value).map_err(|what| format!("{what} is missing, or makes no sense"))
}

fn report(value: &Value) -> Result<Report, &'static str> {
    let number = |key| value[key].as_f64();
    let pairs = value["pairs"]
        .as_u64()
        .and_then(|pairs| usize::try_from(pairs).ok());
    let plan = Plan::new(pairs.ok_or("pairs")?, number("margin").ok_or("margin")?)
        .and_then(|plan| plan.level(number("level").unwrap_or(Plan::LEVEL)))
        .map_err(|_| "the plan")?;
    let seed = value["seed"].as_u64().ok_or("seed")?;
    let kinds = [Kind::Time, Kind::Memory, Kind::Instructions];
    let kind = kinds.into_iter().find(|kind| value["unit"] == kind.unit());
    let side = |key: &str| text(&value[key]["label"]).map(Side::new);
    Ok(Report {
        a: side("a").ok_or("a")?,
        b: side("b").ok_or("b")?,
        metric: text(&value["metric"]).ok_or("metric")?,
        kind: kind.ok_or("unit")?,
        plan,
        seed,
        partial: text(&value["partial"]),
        notes: list(&value["notes"]).filter_map(text).collect(),
        entries: list(&value["comparisons"])
            .map(|one| entry(one, plan, seed))
            .collect::<Option<_>>()
            .ok_or("a comparison")?,
    })
}

fn entry(value: &Value, plan: Plan, seed: u64) -> Option<Entry> {
    let outcome = if let Some(error) = text(&value["error"]) {
        Err(TrialError::Kept(error))
    } else {
        let figures = |side: &str| list(&value[side]["figures"]).map(Value::as_f64).collect();
        let (a, b): (Option<Vec<f64>>, Option<Vec<f64>>) = (figures("a"), figures("b"));
        let (a, b) = (a?, b?);
        if a.len() != b.len() || a.len() > plan.pairs() {
            return None;
        }
        let mut trial = Trial::new(plan, seed);
        for (a, b) in a.into_iter().zip(b) {
            trial.record(a, b).ok()?;
        }
        Ok(trial.finish())
    };
    Some(Entry {
        name: text(&value["name"])?,
        outcome,
    })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
