//! Source packages.

use super::{Release, release::mirror};
use crate::{Cache, Error, error::output};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

const UNPACK: [&str; 3] = ["--no-check", "--skip-patches", "-x"];

/// The unpacked sources of a package, as their authors made them: Debian's patches need Debian's way to build. They
/// are fetched if `cache` does not have them.
pub fn source(cache: &Cache, release: Release, package: &str) -> Result<PathBuf, Error> {
    let what = format!("source package {package} of {}", release.name());
    let folder = cache
        .folder(
            &format!("{package}-source"),
            (release, package, UNPACK, mirror()),
            |folder, _| fetch(folder, release, package),
        )
        .map_err(Error::unavailable(&what))?;
    Ok(folder.join("tree"))
}

/// With lists and settings of its own: those of this machine stay as they are.
fn fetch(folder: &Path, release: Release, package: &str) -> Result<(), Error> {
    let apt_folder = folder.join("apt");
    for name in ["lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(apt_folder.join(name)).map_err(Error::io("make folders for apt-get"))?;
    }
    let list = apt_folder.join("sources.list");
    let line = format!(
        "deb-src [signed-by={KEYS}] {} {} main\n",
        mirror(),
        release.name()
    );
    fs::write(&list, line).map_err(Error::io("write a list for apt-get"))?;
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.current_dir(folder).arg("-qq");
        for option in [
            format!("Dir::Etc::sourcelist={}", list.display()),
            "Dir::Etc::sourceparts=/dev/null".into(),
            format!("Dir::State::lists={}", apt_folder.join("lists").display()),
            format!("Dir::Cache={}", apt_folder.join("cache").display()),
            "Acquire::Check-Valid-Until=false".into(),
            "APT::Sandbox::User=".into(),
        ] {
            command.arg("-o").arg(option);
        }
        output(command.args(words))
    };
    apt(&["update"])?;
    apt(&["source", "--download-only", package])?;
    let description = fs::read_dir(folder)
        .map_err(Error::io("list a folder"))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "dsc"))
        .ok_or_else(|| Error::Unreadable {
            path: folder.into(),
            what: "description of a source package",
        })?;
    output(
        Command::new("dpkg-source")
            .current_dir(folder)
            .args(UNPACK)
            .arg(&description)
            .arg("tree"),
    )?;
    fs::remove_dir_all(&apt_folder).map_err(Error::io("remove the lists of apt-get"))
}
