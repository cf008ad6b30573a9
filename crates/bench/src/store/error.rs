//! Why runs could not be kept or found.

use super::Place;

/// Why runs could not be kept or found: one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store.
    #[error("there is no store {0}: keep a run with `phperf bench run --store`")]
    Missing(Place),
    /// The file is something else.
    #[error("{0} is no store of phperf: name another file with --store-file")]
    Foreign(Place),
    /// Another phperf made it.
    #[error(
        "{place} has schema {version}, which this phperf does not know: use a newer phperf, or another store"
    )]
    Version {
        /// The store.
        place: Place,
        /// Its version.
        version: i32,
    },
    /// Nothing more fits.
    #[error("the disk is full: nothing was kept in {0}")]
    Full(Place),
    /// The file is damaged.
    #[error("{0} is broken: move it away, and a new one is made")]
    Broken(Place),
    /// A run in it cannot be read.
    #[error("{place}: a run in it cannot be read: {reason}")]
    Unreadable {
        /// The store.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// There is no such run.
    #[error("there is no run {reference} in {place}: `phperf bench log` lists them")]
    NoRun {
        /// The store.
        place: Place,
        /// What was asked for.
        reference: String,
    },
    /// There is no such comparison.
    #[error(
        "there is no comparison {reference} in {place}: `phperf bench log` lists them, and `phperf bench compare --store` keeps one"
    )]
    NoComparison {
        /// The store.
        place: Place,
        /// What was asked for.
        reference: String,
    },
    /// The address cannot be used.
    #[error("cannot use {place}: {reason}")]
    Url {
        /// The store.
        place: Place,
        /// Why, and what else to write.
        reason: String,
    },
    /// There is no `PostgreSQL` in this binary.
    #[error("cannot use {0}: this phperf was built without PostgreSQL; build it with the feature postgres")]
    NoPostgres(Place),
    /// Anything else.
    #[error("cannot use {place}: {reason}")]
    Use {
        /// The store.
        place: Place,
        /// Why.
        reason: String,
    },
}
