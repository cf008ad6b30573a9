//! Where runs are kept.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The file's name where nothing says otherwise.
pub const FILE: &str = ".phperf-bench.sqlite";

/// Where runs are kept.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// A file of `SQLite`.
    File(PathBuf),
    /// A database of `PostgreSQL`, by its URL. It may hold a password, and is never shown.
    Url(String),
}

impl Place {
    /// The usual file in a folder.
    pub fn usual(folder: &Path) -> Self {
        Self::File(folder.join(FILE))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(out),
            Self::Url(url) => out.write_str(&without_secrets(url)),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// Host, port and database alone: what is before an @ or behind a question mark may be a secret. What is no URL may hold
/// one anywhere.
fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return "a database of PostgreSQL".into();
    };
    // A question mark may be part of the password, and an @ of what is behind the question mark.
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let rest = rest.split('?').next().unwrap_or_default();
    format!("{scheme}://{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown() {
        for url in [
            "postgres://me:secret@db:5432/bench",
            "postgres://me:se@cret@db:5432/bench?password=secret&user=me",
            "postgres://me:se?cret@db:5432/bench",
        ] {
            let place = Place::Url(url.into());
            assert_eq!(
                (format!("{place}"), format!("{place:?}")),
                (
                    "postgres://db:5432/bench".into(),
                    "postgres://db:5432/bench".into()
                )
            );
        }
        let place = Place::Url("host=db user=me password=secret".into());
        assert!(!format!("{place} {place:?}").contains("secret"));
    }
}
