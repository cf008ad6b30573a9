//! What a database does for a store: the queries are the same for all.

use super::StoreError;

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// Runs of suites.
    Runs,
    /// Comparisons of suites. A store that an earlier phperf made has no such table before something is kept.
    Comparisons,
}

impl Table {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Runs => "run",
            Self::Comparisons => "comparison",
        }
    }

    /// The column with what is kept, as JSON.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Runs => "suite",
            Self::Comparisons => "report",
        }
    }
}

/// A value of a query.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Number(i64),
    Text(&'a str),
}

/// What is kept: its number, and itself as JSON.
pub(super) type Row = (i64, String);

/// A database with these tables.
pub(super) trait Backend: std::fmt::Debug {
    /// What stands before the names of tables.
    fn schema(&self) -> &'static str;

    /// Whether a table is there.
    fn has(&mut self, table: Table) -> Result<bool, StoreError>;

    /// What a query keeps; its number. The values are `$1`, `$2` and `$3`.
    fn insert(&mut self, query: &str, tag: Option<&str>, started: i64, text: &str)
    -> Result<i64, StoreError>;

    /// The rows of a query, whose values are `$1`, `$2` in the order in which they are in it.
    fn select(&mut self, query: &str, values: &[Value]) -> Result<Vec<Row>, StoreError>;
}
