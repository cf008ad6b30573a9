//! Comparisons that are kept.

use super::{
    Place, Reference, Store, StoreError,
    backend::{Row, Table, Value},
};
use serde_json::json;
use trial::{Report, read_json, write_json};

/// A comparison that is kept.
#[derive(Debug)]
pub struct Comparison {
    /// Its number among the comparisons of this store, from 1.
    pub id: i64,
    /// The name that the user gave it.
    pub tag: Option<String>,
    /// When it was kept, as seconds since 1970.
    pub kept: u64,
    /// What was found.
    pub report: Report,
}

/// The last comparisons of a store.
#[derive(Debug, Default)]
pub struct LastComparisons {
    /// Those that can be read, the newest first.
    pub comparisons: Vec<Comparison>,
    /// The numbers of those that cannot.
    pub unreadable: Vec<i64>,
}

impl LastComparisons {
    /// What the reader has to know; nothing where all of them can be read.
    pub fn note(&self) -> Option<String> {
        let numbers: Vec<String> = self.unreadable.iter().map(i64::to_string).collect();
        (!numbers.is_empty()).then(|| {
            format!(
                "comparisons that cannot be read and are left out: {} ({})",
                numbers.len(),
                numbers.join(", ")
            )
        })
    }
}

impl Store {
    /// Opens a store for comparisons, and makes it where there is none. That it can take them is found out at once.
    pub fn create_for_comparisons(place: &Place) -> Result<Self, StoreError> {
        let mut store = Self::create(place)?;
        if store.backend.has(Table::Comparisons)? {
            return Ok(store);
        }
        Err(StoreError::Use {
            place: place.clone(),
            reason: "it has no table for comparisons, and its owner alone can make it: by `phperf bench compare --store`"
                .into(),
        })
    }

    /// Keeps a comparison; its number. `now` is in seconds since 1970.
    pub fn add_comparison(
        &mut self,
        report: &Report,
        tag: Option<&str>,
        now: u64,
    ) -> Result<i64, StoreError> {
        let mut text = Vec::new();
        let value = write_json(report, &mut text)
            .map_err(|error| error.to_string())
            .and_then(|()| serde_json::from_slice(&text).map_err(|error| error.to_string()));
        let report: serde_json::Value = value.map_err(|reason| self.unreadable(&reason))?;
        let text = json!({ "tag": tag, "kept": now, "report": report }).to_string();
        self.insert(Table::Comparisons, tag, now.cast_signed(), &text)
    }

    /// The last `most` comparisons by their numbers. One that cannot be read does not keep the others away.
    pub fn last_comparisons(&mut self, most: u32) -> Result<LastComparisons, StoreError> {
        let mut last = LastComparisons::default();
        if !self.backend.has(Table::Comparisons)? {
            return Ok(last);
        }
        let newest = "ORDER BY id DESC LIMIT $1";
        for row in self.rows(Table::Comparisons, newest, &[Value::Number(most.into())])? {
            match read(&row) {
                Ok(comparison) => last.comparisons.push(comparison),
                Err(_) => last.unreadable.push(row.0),
            }
        }
        Ok(last)
    }

    /// The comparison that `reference` names.
    pub fn find_comparison(&mut self, reference: &Reference) -> Result<Comparison, StoreError> {
        let found = if self.backend.has(Table::Comparisons)? {
            self.find_row(Table::Comparisons, reference)?
        } else {
            None
        };
        let Some(row) = found else {
            return Err(StoreError::NoComparison {
                place: self.place.clone(),
                reference: reference.to_string(),
            });
        };
        read(&row).map_err(|reason| self.unreadable(&format!("comparison {}: {reason}", row.0)))
    }
}

fn read((id, text): &Row) -> Result<Comparison, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(Comparison {
        id: *id,
        tag: value["tag"].as_str().map(str::to_owned),
        kept: value["kept"].as_u64().unwrap_or(0),
        report: read_json(&value["report"])?,
    })
}
