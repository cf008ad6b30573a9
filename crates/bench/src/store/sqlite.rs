//! A file of `SQLite`.

use super::{
    Place, StoreError,
    backend::{Backend, Row, Table, Value},
};
use rusqlite::{Connection, ErrorCode, OpenFlags, params, params_from_iter, types::ToSqlOutput};
use std::{path::Path, time::Duration};

/// Marks a file as a store: `phpb`.
const APPLICATION: i32 = 0x7068_7062;
const SCHEMA: &str = "
    CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        tag TEXT,
        started INTEGER NOT NULL,
        suite TEXT NOT NULL
    );
    CREATE INDEX run_tag ON run (tag);
";
const COMPARISONS: &str = "
    CREATE TABLE IF NOT EXISTS comparison (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        tag TEXT,
        started INTEGER NOT NULL,
        report TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS comparison_tag ON comparison (tag);
";
/// How long to wait for another phperf that writes.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Sqlite {
    pub(super) connection: Connection,
    place: Place,
}

impl Sqlite {
    /// Opens a store, and makes it where there is none. That it can be written is found out at once.
    pub(super) fn create(path: &Path) -> Result<Self, StoreError> {
        let store = Self::open(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        // Whoever else makes it is waited for.
        store.execute("BEGIN IMMEDIATE")?;
        if !store.is_made()? {
            store.execute(&format!(
                "{SCHEMA} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {};",
                super::VERSION
            ))?;
        }
        store.execute(COMPARISONS)?;
        store.execute("COMMIT")?;
        Ok(store)
    }

    /// Opens a store that is there.
    pub(super) fn existing(path: &Path) -> Result<Self, StoreError> {
        let place = Place::File(path.into());
        if !path.exists() {
            return Err(StoreError::Missing(place));
        }
        let store = Self::open(path, OpenFlags::empty())?;
        if store.is_made()? {
            Ok(store)
        } else {
            Err(StoreError::Foreign(place))
        }
    }

    fn open(path: &Path, more: OpenFlags) -> Result<Self, StoreError> {
        let place = Place::File(path.into());
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
        let connection = Connection::open_with_flags(path, flags).map_err(in_place(&place))?;
        connection.busy_timeout(PATIENCE).map_err(in_place(&place))?;
        Ok(Self { connection, place })
    }

    /// Whether it is a store, and not only an empty file, as a phperf leaves it that is killed while it makes one.
    fn is_made(&self) -> Result<bool, StoreError> {
        let tables = "SELECT count(*) FROM sqlite_master";
        let tables: i64 = self
            .connection
            .query_row(tables, [], |row| row.get(0))
            .map_err(in_place(&self.place))?;
        match (self.pragma("application_id")?, self.pragma("user_version")?) {
            (APPLICATION, super::VERSION) => Ok(true),
            (APPLICATION, version) => Err(StoreError::Version {
                place: self.place.clone(),
                version,
            }),
            (0, 0) if tables == 0 => Ok(false),
            _ => Err(StoreError::Foreign(self.place.clone())),
        }
    }

    fn execute(&self, statements: &str) -> Result<(), StoreError> {
        self.connection
            .execute_batch(statements)
            .map_err(in_place(&self.place))
    }

    fn pragma(&self, name: &str) -> Result<i32, StoreError> {
        self.connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(in_place(&self.place))
    }
}

impl Backend for Sqlite {
    fn schema(&self) -> &'static str {
        ""
    }

    fn has(&mut self, table: Table) -> Result<bool, StoreError> {
        let there = "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = ?1";
        self.connection
            .query_row(there, [table.name()], |row| row.get(0))
            .map_err(in_place(&self.place))
    }

    fn insert(
        &mut self,
        query: &str,
        tag: Option<&str>,
        started: i64,
        text: &str,
    ) -> Result<i64, StoreError> {
        self.connection
            .query_row(query, params![tag, started, text], |row| row.get(0))
            .map_err(in_place(&self.place))
    }

    fn select(&mut self, query: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let failed = in_place(&self.place);
        let values = values.iter().map(|value| match value {
            Value::Number(number) => ToSqlOutput::from(*number),
            Value::Text(text) => ToSqlOutput::from(*text),
        });
        let mut statement = self.connection.prepare(query).map_err(&failed)?;
        let rows = statement
            .query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }
}

/// For `map_err`: what an error of `SQLite` means for a store.
fn in_place(place: &Place) -> impl Fn(rusqlite::Error) -> StoreError {
    let place = place.clone();
    move |source| match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full(place.clone()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Broken(place.clone()),
        _ => StoreError::Use {
            place: place.clone(),
            reason: source.to_string(),
        },
    }
}
