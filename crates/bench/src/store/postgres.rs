//! A database of `PostgreSQL`.

use super::{
    Place, StoreError,
    backend::{Backend, Row, Table, Value},
};
use postgres::{
    Client, Config, NoTls,
    config::{Host, SslMode},
    error::SqlState,
    types::{ToSql, Type},
};
use std::{env, sync::mpsc, thread, time::Duration};

/// A schema of its own, so that it may share a database. The lock keeps two from making it at the same time.
const SCHEMA: &str = "
    BEGIN;
    SELECT pg_advisory_xact_lock(1885892706);
    CREATE SCHEMA IF NOT EXISTS phperf_bench;
    CREATE TABLE IF NOT EXISTS phperf_bench.run (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tag TEXT,
        started BIGINT NOT NULL,
        suite TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS run_tag ON phperf_bench.run (tag);
    CREATE TABLE IF NOT EXISTS phperf_bench.store (version INTEGER NOT NULL);
    INSERT INTO phperf_bench.store SELECT 1 WHERE NOT EXISTS (SELECT FROM phperf_bench.store);
    COMMIT;
";
/// In stores that an earlier phperf made, too.
const COMPARISONS: &str = "
    BEGIN;
    SELECT pg_advisory_xact_lock(1885892706);
    CREATE TABLE IF NOT EXISTS phperf_bench.comparison (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tag TEXT,
        started BIGINT NOT NULL,
        report TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS comparison_tag ON phperf_bench.comparison (tag);
    COMMIT;
";
const HAS_COMPARISONS: &str = "SELECT to_regclass('phperf_bench.comparison') IS NOT NULL";
const IS_THERE: &str = "SELECT to_regclass('phperf_bench.store') IS NOT NULL";
/// How long a server may take for a task, where the URL has no `connect_timeout`.
const PATIENCE: Duration = Duration::from_secs(30);

/// A run may take an hour, and a connection that is left alone so long is cut by whoever stands between: there is one for
/// each task.
#[derive(Debug)]
pub(super) struct Postgres {
    config: Config,
    place: Place,
    patience: Duration,
}

impl Postgres {
    /// Makes the table where there is none. That the server can be reached is found out at once.
    pub(super) fn create(url: &str) -> Result<Self, StoreError> {
        let store = Self::new(url)?;
        // Whoever may write runs need not be allowed to make tables.
        let version = store.ask(|client| {
            if version(client)?.is_none() {
                client.batch_execute(SCHEMA)?;
            }
            let version = version(client)?;
            if !client
                .query_typed_one(HAS_COMPARISONS, &[])?
                .try_get::<_, bool>(0)?
                && client.batch_execute(COMPARISONS).is_err()
            {
                // Who may not make it may keep runs all the same; whether it is there is asked again where it is needed.
                client.batch_execute("ROLLBACK")?;
            }
            Ok(version)
        })?;
        store.checked(version)
    }

    /// A store that is there.
    pub(super) fn existing(url: &str) -> Result<Self, StoreError> {
        let store = Self::new(url)?;
        let version = store.ask(version)?;
        store.checked(version)
    }

    fn new(url: &str) -> Result<Self, StoreError> {
        let place = Place::Url(url.into());
        let odd = |reason: &str| StoreError::Url {
            place: place.clone(),
            reason: reason.into(),
        };
        // The reason would quote the URL, and its password.
        let mut config: Config = url
            .parse()
            .map_err(|_| odd("write postgres://user@host:5432/database"))?;
        let is_near = |host: &Host| match host {
            Host::Unix(_) => true,
            Host::Tcp(name) => ["localhost", "127.0.0.1", "::1", "[::1]"].contains(&name.as_str()),
        };
        match config.get_ssl_mode() {
            SslMode::Disable => {}
            SslMode::Prefer if config.get_hosts().iter().all(is_near) => {}
            _ => {
                return Err(odd(
                    "phperf speaks no TLS: go through a tunnel to localhost, or add ?sslmode=disable where the network is trusted",
                ));
            }
        }
        if config.get_password().is_none()
            && let Ok(password) = env::var("PGPASSWORD")
        {
            config.password(password);
        }
        config.application_name("phperf");
        let patience = config.get_connect_timeout().copied().unwrap_or(PATIENCE);
        Ok(Self {
            config,
            place,
            patience,
        })
    }

    fn checked(self, version: Option<i32>) -> Result<Self, StoreError> {
        let place = self.place.clone();
        match version {
            Some(super::VERSION) => Ok(self),
            Some(version) => Err(StoreError::Version { place, version }),
            None => Err(StoreError::Missing(place)),
        }
    }

    /// Connects and does a task. A server that is silent is left waiting in a thread of its own: what was measured is not to
    /// wait with it.
    fn ask<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut Client) -> Result<T, postgres::Error> + Send + 'static,
    ) -> Result<T, StoreError> {
        let config = self.config.clone();
        let (sender, done) = mpsc::channel();
        thread::spawn(move || {
            let connected = config.connect(NoTls);
            let _ = sender.send(connected.and_then(|mut client| task(&mut client)));
        });
        match done.recv_timeout(self.patience) {
            Ok(done) => done.map_err(self.failed()),
            Err(_) => Err(StoreError::Use {
                place: self.place.clone(),
                reason: format!("the server has not answered for {} s", self.patience.as_secs()),
            }),
        }
    }

    /// For `map_err`: what an error means for a store.
    fn failed(&self) -> impl Fn(postgres::Error) -> StoreError {
        let place = self.place.clone();
        move |error| {
            let place = place.clone();
            let said = error.as_db_error();
            if said.is_some_and(|said| *said.code() == SqlState::DISK_FULL) {
                return StoreError::Full(place);
            }
            let reason = said.map_or_else(
                || {
                    let cause = std::error::Error::source(&error).map(ToString::to_string);
                    cause.unwrap_or_else(|| error.to_string())
                },
                |said| said.message().to_owned(),
            );
            StoreError::Use {
                place,
                reason: reason.lines().next().unwrap_or_default().to_owned(),
            }
        }
    }
}

impl Backend for Postgres {
    fn schema(&self) -> &'static str {
        "phperf_bench."
    }

    fn has(&mut self, table: Table) -> Result<bool, StoreError> {
        match table {
            Table::Runs => Ok(true),
            Table::Comparisons => self.ask(|client| client.query_typed_one(HAS_COMPARISONS, &[])?.try_get(0)),
        }
    }

    fn insert(
        &mut self,
        query: &str,
        tag: Option<&str>,
        started: i64,
        text: &str,
    ) -> Result<i64, StoreError> {
        let query = query.to_owned();
        let (tag, text) = (tag.map(str::to_owned), text.to_owned());
        self.ask(move |client| {
            let values: [(&(dyn ToSql + Sync), Type); 3] =
                [(&tag, Type::TEXT), (&started, Type::INT8), (&text, Type::TEXT)];
            client.query_typed_one(&query, &values)?.try_get(0)
        })
    }

    fn select(&mut self, query: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let query = query.to_owned();
        let values: Vec<(Box<dyn ToSql + Sync + Send>, Type)> = values
            .iter()
            .map(|value| -> (Box<dyn ToSql + Sync + Send>, Type) {
                match *value {
                    Value::Number(number) => (Box::new(number), Type::INT8),
                    Value::Text(text) => (Box::new(text.to_owned()), Type::TEXT),
                }
            })
            .collect();
        self.ask(move |client| {
            let values: Vec<(&(dyn ToSql + Sync), Type)> = values
                .iter()
                .map(|(value, kind)| (&**value as &(dyn ToSql + Sync), kind.clone()))
                .collect();
            // Without a name, so that a pooler between may give each statement another connection.
            let rows = client.query_typed(&query, &values)?;
            rows.iter()
                .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
                .collect()
        })
    }
}

/// The version of the schema; `None` where there is none.
fn version(client: &mut Client) -> Result<Option<i32>, postgres::Error> {
    let is_there: bool = client.query_typed_one(IS_THERE, &[])?.try_get(0)?;
    if !is_there {
        return Ok(None);
    }
    let row = client.query_typed_one("SELECT version FROM phperf_bench.store", &[])?;
    Ok(Some(row.try_get(0)?))
}
