//! Why runs could not be kept or found.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why runs could not be kept or found: one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store.
    #[error("there is no store {}: keep a run with `phperf bench run --store`", .0.display())]
    Missing(PathBuf),
    /// The file is something else.
    #[error("{} is no store of phperf: name another file with --store-file", .0.display())]
    Foreign(PathBuf),
    /// Another phperf made it.
    #[error("{} has schema {version}, which this phperf does not know: use a newer phperf, or another --store-file", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i32,
    },
    /// Nothing more fits.
    #[error("the disk is full: nothing was kept in {}", .0.display())]
    Full(PathBuf),
    /// The file is damaged.
    #[error("{} is broken: move it away, and a new one is made", .0.display())]
    Broken(PathBuf),
    /// A run in it cannot be read.
    #[error("{}: a run in it cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is no such run.
    #[error("there is no run {reference} in {}: `phperf bench log` lists them", path.display())]
    NoRun {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        reference: String,
    },
    /// Anything else.
    #[error("cannot use {}: {source}", path.display())]
    Use {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
}

/// For `map_err`: what an error of `SQLite` means for the store at `path`.
pub(super) fn in_file(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full(path.clone()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Broken(path.clone()),
        _ => StoreError::Use {
            path: path.clone(),
            source,
        },
    }
}
