//! A root with another release's programs.

use super::{Release, keys::keys};
use crate::{Cache, Error, Place, error::output};
use nix::unistd::Uid;
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// A root with a release and some packages of it.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    /// The one with these packages. It is made by debootstrap, in a minute or more, if `cache` does not have it.
    pub fn get(cache: &Cache, release: Release, packages: &[&str]) -> Result<Self, Error> {
        let what = format!("root with {} of {}", packages.join(", "), release.name());
        if !Uid::effective().is_root() {
            return Err(Error::Unavailable {
                what,
                why: "only root can run programs in another root".into(),
            });
        }
        cache
            .folder(
                release.name(),
                (release, packages, release.mirror()),
                |folder, _| make(folder, &keys(cache, release)?, release, packages),
            )
            .map(Self)
            .map_err(Error::unavailable(&what))
    }

    /// Where programs run in it.
    pub fn place(&self) -> Place {
        Place::within(&self.0)
    }
}

fn make(folder: &Path, keys: &Path, release: Release, packages: &[&str]) -> Result<(), Error> {
    // Temporary folders are their maker's alone; a root is everybody's.
    fs::set_permissions(folder, Permissions::from_mode(0o755)).map_err(Error::io("open a root to users"))?;
    let whole = release.base() == release.name();
    let mut command = Command::new("debootstrap");
    command
        .arg("--variant=minbase")
        .arg(format!("--components={}", release.components().join(",")))
        .arg(format!("--keyring={}", keys.display()));
    if whole {
        command.arg(format!("--include={}", packages.join(",")));
    }
    command.arg(release.base()).arg(folder).arg(release.mirror());
    if release.is_ubuntu() {
        // One for all of them, also those that are newer than debootstrap.
        command.arg("/usr/share/debootstrap/scripts/gutsy");
    }
    output(&mut command)?;
    if !whole {
        add(folder, release, packages)?;
    }
    let place = Place::within(folder);
    output(place.command("apt-get").arg("clean")).map(drop)
}

/// Adds packages of a release that holds only what is new.
fn add(folder: &Path, release: Release, packages: &[&str]) -> Result<(), Error> {
    let write = |path: &str, text: String, mode: u32| {
        let path = folder.join(path);
        fs::write(&path, text)
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(mode)))
            .map_err(Error::io(format!("write {}", path.display())))
    };
    write(
        "etc/apt/sources.list.d/added.list",
        format!("deb {} {} main\n", release.mirror(), release.name()),
        0o644,
    )?;
    // Daemons that are installed are not to start.
    write("usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n".into(), 0o755)?;
    let place = Place::within(folder);
    let apt = |words: &[&str]| {
        let mut command = place.command("apt-get");
        command
            .args(["-qq", "-o", "Acquire::Check-Valid-Until=false"])
            .args(words)
            .env("DEBIAN_FRONTEND", "noninteractive");
        output(&mut command)
    };
    apt(&["update"])?;
    let mut words = vec!["install", "-y", "--no-install-recommends"];
    words.extend_from_slice(packages);
    apt(&words).map(drop)
}
