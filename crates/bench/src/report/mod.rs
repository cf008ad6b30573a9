//! Reports: what of a suite is shown, as tables. How a table is written is for `output` to know.

mod aggregate;
mod bare;
mod baseline;
mod config;
mod environment;
mod iterations;
mod overview;
mod show;
mod table;

pub use aggregate::{note, short};
pub use config::ReportError;
pub use show::{date, deviation, interval, level, memory, quantity};
pub use table::{Cell, Table};

use crate::{model::Suite, settings::Settings};
use serde_json::Value;
use std::collections::BTreeMap;

/// Makes a report's tables.
type Make = fn(&Suite) -> Vec<Table>;

const REPORTS: [(&str, Make); 7] = [
    ("aggregate", aggregate::tables),
    ("default", iterations::times),
    ("memory", iterations::memory),
    ("bare", bare::tables),
    ("overview", overview::tables),
    ("env", environment::tables),
    ("benchmark_compare", baseline::tables),
];

/// The tables of the report `asked`: a name, or configuration as JSON.
pub fn tables(asked: &str, suite: &Suite, settings: &Settings) -> Result<Vec<Table>, ReportError> {
    make(&config::parse(asked)?, suite, &settings.reports, 0)
}

/// What of the configuration of the report `asked` has no effect, one line each.
pub fn without_effect(asked: &str, settings: &Settings) -> Result<Vec<String>, ReportError> {
    Ok(config::without_effect(
        &config::parse(asked)?,
        &settings.reports,
        0,
    ))
}

fn make(
    asked: &Value,
    suite: &Suite,
    configured: &BTreeMap<String, Value>,
    depth: usize,
) -> Result<Vec<Table>, ReportError> {
    let plan = config::plan(asked, configured, &REPORTS.map(|(name, _)| name), depth)?;
    let mut tables = Vec::new();
    for base in plan.bases {
        let own = |name: &str| {
            REPORTS
                .iter()
                .find(|(known, _)| *known == name && !configured.contains_key(name))
        };
        match base.as_str().and_then(own) {
            Some((_, make)) => tables.extend(make(suite)),
            None => tables.extend(make(&base, suite, configured, depth + 1)?),
        }
    }
    for table in &mut tables {
        if let Some(columns) = &plan.columns {
            table.select(columns)?;
        } else if depth == 0 {
            table.hide_optional();
        }
    }
    if let (Some(title), Some(table)) = (plan.title, tables.first_mut()) {
        table.title = title;
    }
    Ok(tables)
}

#[cfg(test)]
mod tests;
