//! Runs that are kept: one file of `SQLite` beside the project.

mod error;
mod reference;

pub use error::StoreError;
pub use reference::Reference;

use crate::model::Suite;
use error::in_file;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// The file's name where nothing says otherwise.
pub const FILE: &str = ".phperf-bench.sqlite";
/// Marks a file as a store: `phpb`.
const APPLICATION: i32 = 0x7068_7062;
/// Grows when the schema changes.
const VERSION: i32 = 1;
const SCHEMA: &str = "
    CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        tag TEXT,
        started INTEGER NOT NULL,
        suite TEXT NOT NULL
    );
    CREATE INDEX run_tag ON run (tag);
";
/// How long to wait for another phperf that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store of runs.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// A run that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its number in this store, from 1.
    pub id: i64,
    /// What was measured.
    pub suite: Suite,
}

impl Store {
    /// Opens a store, and makes it where there is none. That it can be written is found out at once.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let store = Self::open(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        let failed = in_file(path);
        store
            .connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(&failed)?;
        if store.pragma("application_id")? == 0 {
            let made =
                format!("{SCHEMA} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
            store.connection.execute_batch(&made).map_err(&failed)?;
        }
        store.connection.execute_batch("COMMIT").map_err(&failed)?;
        Ok(store)
    }

    /// Opens a store that is there.
    pub fn existing(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.into()));
        }
        let store = Self::open(path, OpenFlags::empty())?;
        if store.pragma("application_id")? == 0 {
            return Err(StoreError::Foreign(path.into()));
        }
        Ok(store)
    }

    fn open(path: &Path, more: OpenFlags) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
        let connection = Connection::open_with_flags(path, flags).map_err(in_file(path))?;
        connection.busy_timeout(PATIENCE).map_err(in_file(path))?;
        let store = Self {
            connection,
            path: path.into(),
        };
        match (store.pragma("application_id")?, store.pragma("user_version")?) {
            (APPLICATION, VERSION) => Ok(store),
            (APPLICATION, version) => Err(StoreError::Version {
                path: path.into(),
                version,
            }),
            // Just made, or left by a phperf that was killed while it made it.
            (0, 0) if fs::metadata(path).is_ok_and(|file| file.len() == 0) => Ok(store),
            _ => Err(StoreError::Foreign(path.into())),
        }
    }

    fn pragma(&self, name: &str) -> Result<i32, StoreError> {
        self.connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(in_file(&self.path))
    }

    /// Keeps a run; its number.
    pub fn add(&self, suite: &Suite) -> Result<i64, StoreError> {
        let text = serde_json::to_string(suite).map_err(|error| StoreError::Unreadable {
            path: self.path.clone(),
            reason: error.to_string(),
        })?;
        self.connection
            .execute(
                "INSERT INTO run (tag, started, suite) VALUES (?1, ?2, ?3)",
                params![suite.tag, suite.started.cast_signed(), text],
            )
            .map_err(in_file(&self.path))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// The last `most` runs, the newest first.
    pub fn last(&self, most: u32) -> Result<Vec<Run>, StoreError> {
        let failed = in_file(&self.path);
        let mut statement = self
            .connection
            .prepare("SELECT id, suite FROM run ORDER BY id DESC LIMIT ?1")
            .map_err(&failed)?;
        let rows = statement
            .query_map([most], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))
            .map_err(&failed)?;
        rows.map(|row| {
            let (id, text) = row.map_err(&failed)?;
            self.run(id, &text)
        })
        .collect()
    }

    /// The run that `reference` names.
    pub fn find(&self, reference: &Reference) -> Result<Run, StoreError> {
        let latest = "SELECT id, suite FROM run ORDER BY id DESC LIMIT 1 OFFSET ?1";
        let tagged = "SELECT id, suite FROM run WHERE tag = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2";
        let ask = |question: &str, values: &[&dyn rusqlite::ToSql]| {
            self.connection
                .query_row(question, values, |row| {
                    Ok((row.get(0)?, row.get::<_, String>(1)?))
                })
                .optional()
                .map_err(in_file(&self.path))
        };
        let found = match reference {
            Reference::Id(id) => ask("SELECT id, suite FROM run WHERE id = ?1", &[id])?,
            Reference::Latest(back) => ask(latest, &[back])?,
            Reference::Tag(tag) => {
                let mut found = ask(tagged, &[tag, &0])?;
                // `fast-2` is a tag, if there is one of that name, or else the one two before the latest `fast`.
                if let (None, Some((tag, back))) = (&found, reference::back(tag)) {
                    found = ask(tagged, &[&tag, &back])?;
                }
                found
            }
        };
        match found {
            Some((id, text)) => self.run(id, &text),
            None => Err(StoreError::NoRun {
                path: self.path.clone(),
                reference: reference.to_string(),
            }),
        }
    }

    fn run(&self, id: i64, text: &str) -> Result<Run, StoreError> {
        let suite = serde_json::from_str(text).map_err(|error| StoreError::Unreadable {
            path: self.path.clone(),
            reason: format!("run {id}: {error}"),
        })?;
        Ok(Run { id, suite })
    }
}

#[cfg(test)]
mod tests;
