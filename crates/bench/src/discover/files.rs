//! Files whose names are those of benchmarks.

use crate::{Error, settings::Settings};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The pattern of `PHPBench`'s documentation.
const PATTERN: &str = "*Bench.php";
/// How deep folders are searched: a loop of links ends there.
const MAX_DEPTH: usize = 64;

/// Files that are named as such, and files in named folders that match the pattern; sorted, each once.
pub(super) fn find(settings: &Settings) -> Result<Vec<PathBuf>, Error> {
    if settings.paths.is_empty() {
        return Err(Error::NoPath);
    }
    let pattern = settings.find.file_pattern.as_deref().unwrap_or(PATTERN);
    let pattern = glob::Pattern::new(pattern).map_err(|error| Error::Setting {
        name: "runner.file_pattern".into(),
        source_name: "the settings".into(),
        reason: error.msg.into(),
    })?;
    let mut found = BTreeSet::new();
    for path in &settings.paths {
        let path = path.canonicalize().map_err(|_| Error::NoSuchPath(path.clone()))?;
        if path.is_dir() {
            search(&path, &pattern, &mut found, 0)?;
        } else {
            found.insert(path);
        }
    }
    Ok(found.into_iter().collect())
}

fn search(
    folder: &Path,
    pattern: &glob::Pattern,
    found: &mut BTreeSet<PathBuf>,
    depth: usize,
) -> Result<(), Error> {
    let unreadable = |source| Error::Read {
        path: folder.into(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && depth < MAX_DEPTH {
                search(&path, pattern, found, depth + 1)?;
            }
        } else if pattern.matches(&name) {
            found.insert(path.canonicalize().unwrap_or(path));
        }
    }
    Ok(())
}
