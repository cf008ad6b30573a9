//! Where runs are kept, and keeping one.

use super::args::StoreAt;
use anyhow::{Context, Result, anyhow};
use bench::{
    Settings,
    model::Suite,
    output,
    store::{Place, Store},
};
use std::{
    env,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// Where runs are kept: as typed, else as the settings say, else in the usual file.
pub fn place(folder: &Path, typed: &StoreAt, settings: &Settings) -> Place {
    typed_place(folder, typed)
        .or_else(|| settings.store.clone())
        .unwrap_or_else(|| Place::usual(folder))
}

/// The same for verbs that need no settings but this one.
pub fn usual_place(typed: &StoreAt) -> Result<Place> {
    let folder = current()?;
    if let Some(place) = typed_place(&folder, typed) {
        return Ok(place);
    }
    let settings = Settings::load(&folder, None, None, Vec::new())?;
    Ok(place(&folder, typed, &settings))
}

fn typed_place(folder: &Path, typed: &StoreAt) -> Option<Place> {
    match (&typed.store_url, &typed.store_file) {
        (Some(url), _) => Some(Place::Url(url.clone())),
        (None, file) => file.as_ref().map(|file| Place::File(folder.join(file))),
    }
}

/// Keeps a run; its number. What the store does not take is kept in a file, and the error says in which.
pub fn keep(store: &mut Store, suite: &Suite) -> Result<i64> {
    store.add(suite).map_err(|error| match rescue(suite) {
        Ok(file) => anyhow!(
            "{error}; the run is in {}: `phperf bench import` keeps it",
            file.display()
        ),
        Err(why) => anyhow!("{error}; nor could the run be written to a file: {why}"),
    })
}

/// Writes a run to a new file here, or where files are temporary.
fn rescue(suite: &Suite) -> io::Result<PathBuf> {
    let write = |folder: &Path| {
        let mut file = tempfile::Builder::new()
            .prefix("phperf-bench-run-")
            .suffix(".json")
            .tempfile_in(folder)?;
        let mut out = BufWriter::new(file.as_file_mut());
        output::suite(suite, &mut out)?;
        out.flush()?;
        drop(out);
        let (_, path) = file.keep()?;
        Ok(path)
    };
    write(&env::current_dir()?).or_else(|_: io::Error| write(&env::temp_dir()))
}

/// The folder that phperf was started in.
pub fn current() -> Result<PathBuf> {
    env::current_dir().context("cannot find the current folder")
}
