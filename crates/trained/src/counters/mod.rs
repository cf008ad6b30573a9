//! What counts while PHP runs what it is trained on.

mod bolt;
mod clang;
mod gcc;

pub(crate) use bolt::{BoltCounters, FDATA};
pub(crate) use clang::{ClangCounters, PROFRAW, written_to as clang_writes_to};
pub(crate) use gcc::{GCDA, GccCounters};

use crate::{Coverage, Error};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Where PHP starts a request, once for each, and a script.
const REQUEST: &str = "php_request_startup";
/// Where it runs code: the executor of PHP's own virtual machine.
const EXECUTOR: &str = "execute_ex";

/// Programs that count, and where they leave it when they end.
pub(crate) trait Counters {
    /// The folder of the programs.
    fn programs(&self) -> &Path;

    /// The folder that they write to, with all that are in it.
    fn written_to(&self) -> &Path;

    /// How the names of their files end.
    fn ending(&self) -> &'static str;

    /// What they counted since their files were removed.
    fn coverage(&self) -> Result<Coverage, Error>;

    /// Removes what was counted so far.
    fn clear(&self) -> Result<(), Error> {
        removed(self.written_to(), self.ending())
    }
}

fn removed(folder: &Path, ending: &str) -> Result<(), Error> {
    each(folder, ending, |path| {
        fs::remove_file(path).map_err(Error::io(format!("remove {}", path.display())))
    })
    .map(drop)
}

/// Gives every file below a folder whose name ends so to `see`; how many there are.
pub(crate) fn each(
    folder: &Path,
    ending: &str,
    mut see: impl FnMut(&Path) -> Result<(), Error>,
) -> Result<usize, Error> {
    let found = files(folder, ending)?;
    found.iter().try_for_each(|path| see(path))?;
    Ok(found.len())
}

/// The files below a folder whose names end so.
pub(crate) fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Error> {
    let mut folders = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let cannot = || Error::io(format!("list {}", folder.display()));
        for entry in fs::read_dir(&folder).map_err(cannot())? {
            let entry = entry.map_err(cannot())?;
            let path = entry.path();
            if entry.file_type().map_err(cannot())?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == ending) {
                found.push(path);
            }
        }
    }
    Ok(found)
}
