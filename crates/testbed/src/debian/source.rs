//! Source packages.

use super::{Release, apt::Apt, keys::keys};
use crate::{Cache, Error, error::output};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const UNPACK: [&str; 3] = ["--no-check", "--skip-patches", "-x"];

/// The unpacked sources of a package, as their authors made them: Debian's patches need Debian's way to build. They
/// are fetched if `cache` does not have them.
pub fn source(cache: &Cache, release: Release, package: &str) -> Result<PathBuf, Error> {
    let what = format!("source package {package} of {}", release.name());
    let folder = cache
        .folder(
            &format!("{package}-source"),
            (release, package, UNPACK, release.mirror()),
            |folder, _| fetch(folder, &keys(cache, release)?, release, package),
        )
        .map_err(Error::unavailable(&what))?;
    Ok(folder.join("tree"))
}

fn fetch(folder: &Path, keys: &Path, release: Release, package: &str) -> Result<(), Error> {
    let apt = Apt::new(folder, release, "deb-src", keys)?;
    apt.run(&["source", "--download-only", package])?;
    output(
        Command::new("dpkg-source")
            .current_dir(folder)
            .args(UNPACK)
            .arg(apt.fetched("dsc")?)
            .arg("tree"),
    )?;
    apt.end()
}
