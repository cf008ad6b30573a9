//! Where the suite ran.

use super::{Cell, Table};
use crate::model::Suite;

/// A list of extensions would push everything else away.
const LONGEST: usize = 100;

pub(super) fn tables(suite: &Suite) -> Vec<Table> {
    let mut table = Table::new("Environment", &["provider", "key", "value"]);
    for group in &suite.environment.groups {
        for (key, value) in &group.values {
            let mut shown: String = value.chars().take(LONGEST).collect();
            if shown.len() < value.len() {
                shown.push('…');
            }
            table.rows.push(vec![
                Cell::text(&group.name),
                Cell::text(key),
                Cell::new(value.clone(), shown),
            ]);
        }
    }
    vec![table]
}
