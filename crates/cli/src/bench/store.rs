//! Where runs are kept, and keeping one.

use super::{
    args::{Base, StoreAt},
    given::{self, Given},
};
use anyhow::{Result, anyhow};
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
    time::{SystemTime, UNIX_EPOCH},
};

/// Where runs are kept: as typed, else as the settings say, else in the usual file of the folder to start from.
pub fn place(folder: &Path, typed: &StoreAt, settings: &Settings) -> Result<Place> {
    let configured = || settings.store.clone().unwrap_or_else(|| Place::usual(folder));
    Ok(typed_place(typed)?.unwrap_or_else(configured))
}

/// The same for verbs that need no settings but this one.
pub fn usual_place(base: &Base, typed: &StoreAt) -> Result<Place> {
    // Settings that cannot be read are no matter where nothing of them is asked for.
    if let Some(place) = typed_place(typed)? {
        return Ok(place);
    }
    let folder = given::folder(base)?;
    let settings = Given::default().load(&folder, base)?;
    place(&folder, typed, &settings)
}

fn typed_place(typed: &StoreAt) -> Result<Option<Place>> {
    Ok(match (&typed.store_url, &typed.store_file) {
        (Some(url), _) => Some(Place::Url(url.clone())),
        (None, Some(file)) => Some(Place::File(given::current()?.join(file))),
        (None, None) => None,
    })
}

/// Seconds since 1970.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
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
