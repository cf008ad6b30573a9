//! What a database does for a store: the queries are the same for all.

use super::StoreError;

/// A value of a query.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Number(i64),
    Text(&'a str),
}

/// A run as it is kept: its number, and the suite as JSON.
pub(super) type Row = (i64, String);

/// A database with the table of runs.
pub(super) trait Backend: std::fmt::Debug {
    /// The table's name in queries.
    fn table(&self) -> &'static str;

    /// Keeps a run; its number.
    fn insert(&mut self, tag: Option<&str>, started: i64, suite: &str) -> Result<i64, StoreError>;

    /// The rows of a query, whose values are `$1`, `$2` in the order in which they are in it.
    fn select(&mut self, query: &str, values: &[Value]) -> Result<Vec<Row>, StoreError>;
}
