//! Who signs releases.

use super::{Release, apt::Apt};
use crate::{Cache, Error, error::output};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const DEBIAN: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The keys that a release is signed with. Ubuntu's are in a package of Debian 13, which is fetched if `cache` does not
/// have it.
pub(crate) fn keys(cache: &Cache, release: Release) -> Result<PathBuf, Error> {
    if !release.is_ubuntu() {
        return Ok(DEBIAN.into());
    }
    let recipe = (Release::Trixie, Release::Trixie.mirror());
    let folder = cache.folder("ubuntu-keyring", recipe, |folder, _| {
        let apt = Apt::new(folder, Release::Trixie, "deb", Path::new(DEBIAN))?;
        apt.run(&["download", "ubuntu-keyring"])?;
        let package = apt.fetched("deb")?;
        output(Command::new("dpkg-deb").arg("-x").arg(package).arg(folder))?;
        apt.end()
    })?;
    Ok(folder.join("usr/share/keyrings/ubuntu-archive-keyring.gpg"))
}
