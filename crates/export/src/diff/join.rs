//! Functions of two reports, by name.

use super::{Change, Pair};
use crate::{Entry, Report};
use indexmap::IndexMap;

/// Every function of either, in no order.
pub fn functions([a, b]: [Report; 2]) -> Vec<Change> {
    let mut changes: IndexMap<String, Change> = IndexMap::new();
    for entry in a.functions {
        let change = place(&mut changes, &entry);
        change.own.a += entry.own.samples;
        change.total.a += entry.total.samples;
    }
    for entry in b.functions {
        let change = place(&mut changes, &entry);
        change.own.b += entry.own.samples;
        change.total.b += entry.total.samples;
        // Where it is now is of more use than where it was.
        if entry.file.is_some() {
            (change.file, change.line) = (entry.file, entry.line);
        }
    }
    changes.into_values().collect()
}

fn place<'a>(changes: &'a mut IndexMap<String, Change>, entry: &Entry) -> &'a mut Change {
    changes.entry(entry.name.clone()).or_insert_with(|| Change {
        name: entry.name.clone(),
        file: entry.file.clone(),
        line: entry.line,
        own: Pair::default(),
        total: Pair::default(),
    })
}
