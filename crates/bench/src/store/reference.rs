//! How a run is named.

use std::{convert::Infallible, fmt, str::FromStr};

/// A run: `latest`, `latest-2`, a tag, `tag-2`, or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// Its number in the store.
    Id(i64),
    /// So many before the last one.
    Latest(u32),
    /// A tag, perhaps with how many before the last one of that tag.
    Tag(String),
}

impl FromStr for Reference {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match (text.parse(), back(text)) {
            (Ok(id), _) => Self::Id(id),
            _ if text == "latest" => Self::Latest(0),
            (_, Some(("latest", back))) => Self::Latest(back),
            _ => Self::Tag(text.into()),
        })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(out),
            Self::Latest(0) => out.write_str("latest"),
            Self::Latest(back) => write!(out, "latest-{back}"),
            Self::Tag(tag) => out.write_str(tag),
        }
    }
}

/// `name-2` in two.
pub(super) fn back(text: &str) -> Option<(&str, u32)> {
    let (name, back) = text.rsplit_once('-')?;
    Some((name, back.parse().ok()?))
}
