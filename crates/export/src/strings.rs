//! A string table: each text once, named by its place.

use indexmap::IndexSet;
use std::borrow::Cow;

/// Texts in the order in which they were first asked for; the first one is empty, as such formats want it.
pub struct Strings<'a>(IndexSet<Cow<'a, str>>);

impl<'a> Strings<'a> {
    pub fn new() -> Self {
        Self(IndexSet::from([Cow::Borrowed("")]))
    }

    /// The place of a text, new or known.
    pub fn id(&mut self, text: impl Into<Cow<'a, str>>) -> i64 {
        i64::try_from(self.0.insert_full(text.into()).0).unwrap_or(0)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|text| &**text)
    }
}
