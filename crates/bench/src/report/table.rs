//! A table: cells with what a person reads and what a program reads.

use super::ReportError;
use serde_json::Value;

/// Rows under named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it shows; may be empty.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<&'static str>,
    /// As many cells in each as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Columns that are shown only where they are asked for.
    pub(super) optional: Vec<&'static str>,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// For people.
    pub text: String,
    /// For programs: times in nanoseconds, memory in bytes.
    pub value: Value,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            value: Value::String(text.clone()),
            text,
        }
    }

    /// A value, and how it is shown.
    pub fn new(value: impl Into<Value>, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            value: value.into(),
        }
    }

    /// A whole number.
    pub fn count(number: impl Into<u64>) -> Self {
        let number = number.into();
        Self::new(number, number.to_string())
    }
}

impl Table {
    /// An empty table.
    pub(crate) fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Self {
            title: title.into(),
            columns: columns.to_vec(),
            rows: Vec::new(),
            optional: Vec::new(),
        }
    }

    /// Keeps the columns of these names, in this order.
    pub(super) fn select(&mut self, names: &[String]) -> Result<(), ReportError> {
        let mut places = Vec::new();
        for name in names {
            let place = self.columns.iter().position(|column| column == name);
            places.push(place.ok_or_else(|| ReportError::Column {
                name: name.clone(),
                known: self.columns.join(", "),
            })?);
        }
        self.optional.clear();
        self.keep(&places);
        Ok(())
    }

    /// Leaves out columns that nobody asked for.
    pub(super) fn hide_optional(&mut self) {
        let optional = std::mem::take(&mut self.optional);
        let places: Vec<_> = (0..self.columns.len())
            .filter(|&at| !optional.contains(&self.columns[at]))
            .collect();
        self.keep(&places);
    }

    fn keep(&mut self, places: &[usize]) {
        self.columns = places.iter().map(|&at| self.columns[at]).collect();
        for row in &mut self.rows {
            *row = places.iter().map(|&at| row[at].clone()).collect();
        }
    }
}
