//! The new PHP, put beside the old one.

use crate::{Built, Error, Sapis, copy};
use php::Sapi;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Copies the programs below a prefix, under the names that the old ones have. What is there already stays: a file that is
/// not the same is an error.
pub fn install(built: &Built, prefix: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut copies = Vec::new();
    for (wanted, sapi, folder, usual) in [
        (built.sapis.cli, Sapi::Cli, "bin", "php"),
        (built.sapis.fpm, Sapi::Fpm, "sbin", "php-fpm"),
    ] {
        if !wanted {
            continue;
        }
        let old = match sapi {
            Sapi::Cli => &built.old.cli,
            Sapi::Fpm => &built.old.fpm,
        };
        let name = old.as_deref().and_then(Path::file_name).unwrap_or(usual.as_ref());
        let to = prefix.join(folder).join(name);
        let from = Sapis::program(&built.folder, sapi);
        if to.exists() && !is_same(&from, &to)? {
            return Err(Error::Asked(format!(
                "{} is there, and phperf replaces no PHP: name another prefix, or remove it",
                to.display()
            )));
        }
        copies.push((from, to));
    }
    for (from, to) in &copies {
        copy::program(from, to)?;
    }
    Ok(copies.into_iter().map(|(_, to)| to).collect())
}

fn is_same(one: &Path, other: &Path) -> Result<bool, Error> {
    let read = |path: &Path| fs::read(path).map_err(Error::io(format!("read {}", path.display())));
    Ok(read(one)? == read(other)?)
}
