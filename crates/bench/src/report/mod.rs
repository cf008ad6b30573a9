//! Reports: what of a suite is shown, as tables. How a table is written is for `output` to know.

mod aggregate;
mod bare;
mod config;
mod environment;
mod iterations;
mod overview;
mod show;
mod table;

pub use aggregate::note;
pub use config::ReportError;
pub use show::{deviation, interval, memory, quantity};
pub use table::{Cell, Table};

use crate::{model::Suite, settings::Settings};
use serde_json::Value;
use std::collections::BTreeMap;

/// Makes a report's tables.
type Make = fn(&Suite) -> Vec<Table>;

const REPORTS: [(&str, Make); 6] = [
    ("aggregate", aggregate::tables),
    ("default", iterations::times),
    ("memory", iterations::memory),
    ("bare", bare::tables),
    ("overview", overview::tables),
    ("env", environment::tables),
];

/// The tables of the report `asked`: a name, or configuration as JSON.
pub fn tables(asked: &str, suite: &Suite, settings: &Settings) -> Result<Vec<Table>, ReportError> {
    make(&config::parse(asked)?, suite, &settings.reports, 0)
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
