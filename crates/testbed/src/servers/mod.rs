//! Servers that tests talk to.

mod mariadb;
mod pgbouncer;
mod port;
mod postgres;
mod process;
mod tap;
mod user;

pub use mariadb::MariaDb;
pub use pgbouncer::{PgBouncer, Pooler};
pub use postgres::Postgres;
pub use tap::{Said, Tap};
