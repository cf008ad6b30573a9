//! Runs that are kept: in a file of `SQLite` beside the project, or in a database that a team shares.

mod backend;
mod comparison;
mod error;
mod place;
#[cfg(feature = "postgres")]
mod postgres;
mod reference;
mod sqlite;

pub use comparison::{Comparison, LastComparisons};
pub use error::StoreError;
pub use place::{FILE, Place};
pub use reference::Reference;

use crate::model::Suite;
use backend::{Backend, Row, Table, Value};

/// Grows when the schema changes.
const VERSION: i32 = 1;

/// A store of runs.
#[derive(Debug)]
pub struct Store {
    backend: Box<dyn Backend>,
    place: Place,
}

/// A run that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its number in this store, from 1.
    pub id: i64,
    /// What was measured.
    pub suite: Suite,
}

/// The last runs of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Last {
    /// Those that can be read, the newest first.
    pub runs: Vec<Run>,
    /// The numbers of those that cannot: what wrote them was another phperf, or broke off.
    pub unreadable: Vec<i64>,
}

impl Last {
    /// What the reader has to know; nothing where all runs can be read.
    pub fn note(&self) -> Option<String> {
        let numbers: Vec<String> = self.unreadable.iter().map(i64::to_string).collect();
        (!numbers.is_empty()).then(|| {
            format!(
                "runs that cannot be read and are left out: {} ({}); `phperf bench show NUMBER` says why",
                numbers.len(),
                numbers.join(", ")
            )
        })
    }
}

impl Store {
    /// Opens a store, and makes it where there is none. That it can be written is found out at once.
    pub fn create(place: &Place) -> Result<Self, StoreError> {
        Self::open(place, true)
    }

    /// Opens a store that is there.
    pub fn existing(place: &Place) -> Result<Self, StoreError> {
        Self::open(place, false)
    }

    fn open(place: &Place, make: bool) -> Result<Self, StoreError> {
        let backend: Box<dyn Backend> = match place {
            Place::File(path) if make => Box::new(sqlite::Sqlite::create(path)?),
            Place::File(path) => Box::new(sqlite::Sqlite::existing(path)?),
            #[cfg(feature = "postgres")]
            Place::Url(url) if make => Box::new(postgres::Postgres::create(url)?),
            #[cfg(feature = "postgres")]
            Place::Url(url) => Box::new(postgres::Postgres::existing(url)?),
            #[cfg(not(feature = "postgres"))]
            Place::Url(_) => return Err(StoreError::NoPostgres(place.clone())),
        };
        Ok(Self {
            backend,
            place: place.clone(),
        })
    }

    /// Keeps a run; its number.
    pub fn add(&mut self, suite: &Suite) -> Result<i64, StoreError> {
        let text = serde_json::to_string(suite).map_err(|error| self.unreadable(&error.to_string()))?;
        let started = suite.started.cast_signed();
        self.insert(Table::Runs, suite.tag.as_deref(), started, &text)
    }

    fn insert(
        &mut self,
        table: Table,
        tag: Option<&str>,
        started: i64,
        text: &str,
    ) -> Result<i64, StoreError> {
        let query = format!(
            "INSERT INTO {}{} (tag, started, {}) VALUES ($1, $2, $3) RETURNING id",
            self.backend.schema(),
            table.name(),
            table.text()
        );
        self.backend.insert(&query, tag, started, text)
    }

    /// How many runs there are.
    pub fn count(&mut self) -> Result<u64, StoreError> {
        let rows = self.select(Table::Runs, "count(*), CAST('' AS TEXT)", "", &[])?;
        Ok(rows.first().map_or(0, |(count, _)| count.cast_unsigned()))
    }

    /// The last `most` runs by their numbers. One that cannot be read does not keep the others away.
    pub fn last(&mut self, most: u32) -> Result<Last, StoreError> {
        let newest = "ORDER BY id DESC LIMIT $1";
        let rows = self.rows(Table::Runs, newest, &[Value::Number(most.into())])?;
        let mut last = Last::default();
        for row in &rows {
            match self.run(row) {
                Ok(run) => last.runs.push(run),
                Err(_) => last.unreadable.push(row.0),
            }
        }
        Ok(last)
    }

    /// The run that `reference` names.
    pub fn find(&mut self, reference: &Reference) -> Result<Run, StoreError> {
        match self.find_row(Table::Runs, reference)? {
            Some(row) => self.run(&row),
            None => Err(StoreError::NoRun {
                place: self.place.clone(),
                reference: reference.to_string(),
            }),
        }
    }

    fn find_row(&mut self, table: Table, reference: &Reference) -> Result<Option<Row>, StoreError> {
        let latest = "ORDER BY id DESC LIMIT 1 OFFSET $1";
        let tagged = "WHERE tag = $1 ORDER BY id DESC LIMIT 1 OFFSET $2";
        let found = match reference {
            Reference::Id(id) => self.rows(table, "WHERE id = $1", &[Value::Number(*id)])?,
            Reference::Latest(back) => self.rows(table, latest, &[Value::Number((*back).into())])?,
            Reference::Tag(tag) => {
                let found = self.rows(table, tagged, &[Value::Text(tag), Value::Number(0)])?;
                // `fast-2` is a tag, if there is one of that name, or else the one two before the latest `fast`.
                match reference::back(tag) {
                    Some((tag, back)) if found.is_empty() => {
                        self.rows(table, tagged, &[Value::Text(tag), Value::Number(back.into())])?
                    }
                    _ => found,
                }
            }
        };
        Ok(found.into_iter().next())
    }

    fn rows(&mut self, table: Table, which: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.select(table, &format!("id, {}", table.text()), which, values)
    }

    fn select(
        &mut self,
        table: Table,
        what: &str,
        which: &str,
        values: &[Value],
    ) -> Result<Vec<Row>, StoreError> {
        let query = format!(
            "SELECT {what} FROM {}{} {which}",
            self.backend.schema(),
            table.name()
        );
        self.backend.select(&query, values)
    }

    fn unreadable(&self, reason: &str) -> StoreError {
        StoreError::Unreadable {
            place: self.place.clone(),
            reason: reason.into(),
        }
    }

    fn run(&self, (id, text): &Row) -> Result<Run, StoreError> {
        let suite =
            serde_json::from_str(text).map_err(|error| self.unreadable(&format!("run {id}: {error}")))?;
        Ok(Run { id: *id, suite })
    }
}

#[cfg(test)]
mod tests;
