//! A database of `PostgreSQL`.

use super::{
    Place, StoreError,
    backend::{Backend, Row, Value},
};
use postgres::{
    Client, Config, NoTls,
    config::{Host, SslMode},
    error::SqlState,
    types::{ToSql, Type},
};
use std::{env, time::Duration};

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
const IS_THERE: &str = "SELECT to_regclass('phperf_bench.store') IS NOT NULL";
/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A run may take an hour, and a connection that is left alone so long is cut by whoever stands between: there is one for
/// each task.
#[derive(Debug)]
pub(super) struct Postgres {
    config: Config,
    place: Place,
}

impl Postgres {
    /// Makes the table where there is none. That the server can be reached is found out at once.
    pub(super) fn create(url: &str) -> Result<Self, StoreError> {
        let store = Self::new(url)?;
        let mut client = store.connect()?;
        // Whoever may write runs need not be allowed to make tables.
        if !store.is_there(&mut client)? {
            client.batch_execute(SCHEMA).map_err(store.failed())?;
        }
        store.check(&mut client)?;
        Ok(store)
    }

    /// A store that is there.
    pub(super) fn existing(url: &str) -> Result<Self, StoreError> {
        let store = Self::new(url)?;
        let mut client = store.connect()?;
        if !store.is_there(&mut client)? {
            return Err(StoreError::Missing(store.place));
        }
        store.check(&mut client)?;
        Ok(store)
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
        config
            .application_name("phperf")
            .connect_timeout(PATIENCE)
            .tcp_user_timeout(PATIENCE);
        Ok(Self { config, place })
    }

    fn connect(&self) -> Result<Client, StoreError> {
        self.config.connect(NoTls).map_err(self.failed())
    }

    fn is_there(&self, client: &mut Client) -> Result<bool, StoreError> {
        let row = client.query_typed_one(IS_THERE, &[]).map_err(self.failed())?;
        row.try_get(0).map_err(self.failed())
    }

    fn check(&self, client: &mut Client) -> Result<(), StoreError> {
        let row = client
            .query_typed_one("SELECT version FROM phperf_bench.store", &[])
            .map_err(self.failed())?;
        match row.try_get(0).map_err(self.failed())? {
            super::VERSION => Ok(()),
            version => Err(StoreError::Version {
                place: self.place.clone(),
                version,
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
    fn table(&self) -> &'static str {
        "phperf_bench.run"
    }

    fn insert(&mut self, tag: Option<&str>, started: i64, suite: &str) -> Result<i64, StoreError> {
        let insert = "INSERT INTO phperf_bench.run (tag, started, suite) VALUES ($1, $2, $3) RETURNING id";
        let row = self
            .connect()?
            .query_typed_one(
                insert,
                &[(&tag, Type::TEXT), (&started, Type::INT8), (&suite, Type::TEXT)],
            )
            .map_err(self.failed())?;
        row.try_get(0).map_err(self.failed())
    }

    fn select(&mut self, query: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        // Without a name, so that a pooler between may give each statement another connection.
        let values: Vec<(&(dyn ToSql + Sync), Type)> = values
            .iter()
            .map(|value| match value {
                Value::Number(number) => (number as &(dyn ToSql + Sync), Type::INT8),
                Value::Text(text) => (text as &(dyn ToSql + Sync), Type::TEXT),
            })
            .collect();
        let rows = self
            .connect()?
            .query_typed(query, &values)
            .map_err(self.failed())?;
        rows.iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
            .collect::<Result<_, postgres::Error>>()
            .map_err(self.failed())
    }
}
