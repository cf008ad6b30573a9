//! The new PHP, put beside the old one.

use crate::{Built, Error, copy, programs::Sapis};
use php::Sapi;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A program, and where it belongs below a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub from: PathBuf,
    /// Such as `bin` or `sbin`.
    pub folder: &'static str,
    /// As the old one is named.
    pub name: String,
}

/// The programs that were wanted, under the names of the old ones.
pub(crate) fn programs(built: &Built) -> Vec<Program> {
    let program = |(sapi, old): (Sapi, &Path)| {
        let (folder, usual) = match sapi {
            Sapi::Cli => ("bin", "php"),
            Sapi::Fpm => ("sbin", "php-fpm"),
            Sapi::Cgi => ("bin", "php-cgi"),
            Sapi::Apache => ("lib/apache2/modules", "libphp.so"),
        };
        let name = old.file_name().unwrap_or(usual.as_ref());
        Program {
            from: Sapis::program(&built.folder, sapi),
            folder,
            name: name.to_string_lossy().into_owned(),
        }
    };
    built.old.iter().map(program).collect()
}

/// Copies the programs below a prefix, under the names that the old ones have. What is there already stays: a file that is
/// not the same is an error.
pub fn install(built: &Built, prefix: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut copies = Vec::new();
    for Program { from, folder, name } in programs(built) {
        let to = prefix.join(folder).join(name);
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
