//! Pages for a browser that were asked for.

use crate::wanted::Wanted;
use anyhow::Result;
use bench::{
    Settings,
    history::Entry,
    page::{self, Page},
    store::{Place, Run, Store, StoreError},
};
use std::path::{Path, PathBuf};

/// A history of more runs is hard to look at, and takes long to read.
const MOST: u32 = 100;

/// Files that pages are to be written to. They are opened before anything is measured.
pub struct Pages(Vec<Wanted>);

impl Pages {
    /// Those of `--html`, and outputs whose names end in `.html`; the other outputs are given back.
    pub fn new(html: Option<&Path>, outputs: &[String], settings: &Settings) -> Result<(Self, Vec<String>)> {
        let is_page = |name: &String| {
            let ends = Path::new(name).extension().is_some_and(|ending| ending == "html");
            ends && !name.starts_with('{') && !settings.outputs.contains_key(name)
        };
        let (pages, outputs): (Vec<String>, Vec<String>) = outputs.iter().cloned().partition(is_page);
        let files = html
            .map(PathBuf::from)
            .into_iter()
            .chain(pages.into_iter().map(PathBuf::from));
        let files = files.map(|path| Wanted::open(&path, "--html"));
        Ok((Self(files.collect::<Result<_>>()?), outputs))
    }

    /// Whether none was asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes them.
    pub fn write(self, run: Entry, past: &Past) -> Result<()> {
        let others: Vec<Entry> = past.runs.iter().map(Entry::from).collect();
        let about = Page {
            run,
            others: &others,
            left_out: past.left_out,
        };
        for file in self.0 {
            let written = (!file.is_standard_output()).then(|| file.path().to_owned());
            file.write(|out| page::write(&about, out))?;
            if let Some(path) = written {
                eprintln!("written: {}", path.display());
            }
        }
        Ok(())
    }
}

/// Runs that are kept, for histories.
#[derive(Default)]
pub struct Past {
    runs: Vec<Run>,
    left_out: u64,
    /// What of the history is not there, and why, for the user.
    pub notes: Vec<String>,
}

impl Past {
    /// The last ones. A page is whole without them.
    pub fn of(place: &Place) -> Self {
        let read = || -> Result<Self, StoreError> {
            let mut store = Store::existing(place)?;
            let last = store.last(MOST)?;
            let left_out = store.count()?.saturating_sub(last.runs.len() as u64);
            Ok(Self {
                left_out,
                notes: last.note().into_iter().collect(),
                runs: last.runs,
            })
        };
        read().unwrap_or_else(|error| match error {
            StoreError::Missing(_) => Self::default(),
            error => Self {
                notes: vec![format!("the page has no history: {error}")],
                ..Self::default()
            },
        })
    }
}
