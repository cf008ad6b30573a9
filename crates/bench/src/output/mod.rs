//! How tables are written: for a terminal, a spreadsheet, a program, a browser.

mod console;
mod delimited;
mod html;
mod json;

pub use console::{console, shown};
pub use delimited::delimited;
pub use html::html;
pub use json::{suite, tables};

use crate::report::Table;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
};

/// Where an HTML page goes where nothing says so.
const PAGE: &str = "phperf-bench.html";

/// A way to write tables, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    kind: Kind,
    /// A file, or standard output.
    pub file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Console,
    Delimited(char),
    Json,
    Html,
}

/// Why there is no such output, or it could not be written: one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// There is no output of that name.
    #[error("there is no output {name}; there are console, csv, delimited, json, html{known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What is configured, each after a comma.
        known: String,
    },
    /// The configuration is no JSON.
    #[error("the output {0} is neither a name nor an object of JSON")]
    NotJson(String),
    /// It could not be written.
    #[error("cannot write {}: {source}; name another file", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard output could not be written.
    #[error("cannot write: {0}")]
    Stream(#[from] io::Error),
}

impl Output {
    /// The output `asked`: a name, or configuration as JSON; `configured` has those of the settings.
    pub fn new(asked: &str, configured: &BTreeMap<String, Value>) -> Result<Self, OutputError> {
        let config: Option<Value> = if asked.trim_start().starts_with('{') {
            Some(serde_json::from_str(asked).map_err(|_| OutputError::NotJson(asked.into()))?)
        } else {
            configured.get(asked).cloned()
        };
        let text = |key: &str| {
            config
                .as_ref()
                .and_then(|config| config.get(key))
                .and_then(Value::as_str)
        };
        let name = text("extends").or_else(|| text("renderer")).unwrap_or(asked);
        let delimiter = text("delimiter").and_then(|text| text.chars().next());
        let kind = match name {
            "console" => Kind::Console,
            "csv" => Kind::Delimited(delimiter.unwrap_or(',')),
            "delimited" => Kind::Delimited(delimiter.unwrap_or('\t')),
            "json" => Kind::Json,
            "html" => Kind::Html,
            _ => {
                let known = configured.keys().flat_map(|name| [", ", name]).collect();
                return Err(OutputError::Unknown {
                    name: name.into(),
                    known,
                });
            }
        };
        let file = text("file").or_else(|| text("path")).map(PathBuf::from);
        let file = file.or_else(|| (kind == Kind::Html).then(|| PAGE.into()));
        Ok(Self { kind, file })
    }

    /// Writes tables to the file, or else to `stream`.
    pub fn write(&self, tables: &[Table], stream: &mut dyn Write) -> Result<(), OutputError> {
        let Some(path) = &self.file else {
            return Ok(self.write_to(tables, stream)?);
        };
        let failed = |source| OutputError::Write {
            path: path.clone(),
            source,
        };
        let mut file = BufWriter::new(File::create(path).map_err(failed)?);
        self.write_to(tables, &mut file)
            .and_then(|()| file.flush())
            .map_err(failed)
    }

    fn write_to(&self, found: &[Table], out: &mut dyn Write) -> io::Result<()> {
        match self.kind {
            Kind::Console => found.iter().try_for_each(|table| console(table, out)),
            Kind::Delimited(delimiter) => found
                .iter()
                .try_for_each(|table| delimited(table, delimiter, out)),
            Kind::Json => tables(found, out),
            Kind::Html => html(found, out),
        }
    }
}

#[cfg(test)]
mod tests;
