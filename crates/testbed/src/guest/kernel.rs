//! Kernels of other releases.

use crate::{
    Cache, Error, Release,
    debian::{Apt, keys},
    error::output,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A kernel as a release packages it for virtual machines.
#[derive(Clone, Debug)]
pub struct Kernel {
    image: PathBuf,
    version: String,
}

impl Kernel {
    /// The newest one of a release, as of the day on which `cache` got it.
    pub fn get(cache: &Cache, release: Release) -> Result<Self, Error> {
        let what = format!("kernel of {}", release.name());
        let folder = cache
            .folder(
                &format!("linux-{}", release.name()),
                (package(release), release.mirror()),
                |folder, _| fetch(folder, &keys(cache, release)?, release),
            )
            .map_err(Error::unavailable(&what))?;
        let image = named(&folder, "vmlinuz-")?;
        let name = image.file_name().unwrap_or_default().to_string_lossy();
        let version = name.trim_start_matches("vmlinuz-").to_owned();
        Ok(Self { image, version })
    }

    /// The file to boot.
    pub fn image(&self) -> &Path {
        &self.image
    }

    /// Its version, such as `6.1.0-37-cloud-amd64`.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// A package without files that depends on the newest kernel.
const fn package(release: Release) -> &'static str {
    if release.is_ubuntu() {
        "linux-image-virtual"
    } else {
        "linux-image-cloud-amd64"
    }
}

fn fetch(folder: &Path, keys: &Path, release: Release) -> Result<(), Error> {
    let apt = Apt::new(folder, release, "deb", keys)?;
    apt.run(&["download", package(release)])?;
    let newest = apt.fetched("deb")?;
    let depends = output(Command::new("dpkg-deb").arg("-f").arg(&newest).arg("Depends"))?;
    let name = depends
        .split([' ', ',', '\n'])
        .find(|word| word.starts_with("linux-image-"))
        .ok_or_else(|| Error::Unreadable {
            path: newest.clone(),
            what: "kernel among the packages that it depends on",
        })?;
    fs::remove_file(&newest).map_err(Error::io("remove a package"))?;
    apt.run(&["download", name])?;
    let package = apt.fetched("deb")?;
    let unpacked = folder.join("unpacked");
    output(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&unpacked))?;
    let image = named(&unpacked.join("boot"), "vmlinuz-")?;
    let kept = folder.join(image.file_name().unwrap_or_default());
    fs::rename(&image, kept).map_err(Error::io("keep a kernel"))?;
    // Modules: what is tried needs none, and they are most of it.
    fs::remove_dir_all(unpacked).map_err(Error::io("remove what is not needed of a kernel"))?;
    fs::remove_file(package).map_err(Error::io("remove a package"))?;
    apt.end()
}

/// The file in the folder whose name begins so.
fn named(folder: &Path, beginning: &str) -> Result<PathBuf, Error> {
    fs::read_dir(folder)
        .map_err(Error::io(format!("list {}", folder.display())))?
        .flatten()
        .find(|entry| entry.file_name().to_string_lossy().starts_with(beginning))
        .map(|entry| entry.path())
        .ok_or_else(|| Error::Unreadable {
            path: folder.into(),
            what: "kernel",
        })
}
