//! What apt-get can fetch of another release, with lists and settings of its own: those of this machine stay as they are.

use super::Release;
use crate::{Error, error::output};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Lists of one release, below a folder in which it fetches.
pub(crate) struct Apt<'a> {
    folder: &'a Path,
    own: PathBuf,
}

impl<'a> Apt<'a> {
    /// `kind`: `deb` or `deb-src`. `keys`: who may have signed the release.
    pub(crate) fn new(folder: &'a Path, release: Release, kind: &str, keys: &Path) -> Result<Self, Error> {
        let own = folder.join("apt");
        for name in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(own.join(name)).map_err(Error::io("make folders for apt-get"))?;
        }
        let line = format!(
            "{kind} [signed-by={}] {} {} {}\n",
            keys.display(),
            release.mirror(),
            release.name(),
            release.components().join(" ")
        );
        fs::write(own.join("sources.list"), line).map_err(Error::io("write a list for apt-get"))?;
        let apt = Self { folder, own };
        apt.run(&["update"])?;
        Ok(apt)
    }

    /// Runs it in the folder.
    pub(crate) fn run(&self, words: &[&str]) -> Result<(), Error> {
        let mut command = Command::new("apt-get");
        command.current_dir(self.folder).arg("-qq");
        for option in [
            format!("Dir::Etc::sourcelist={}", self.own.join("sources.list").display()),
            "Dir::Etc::sourceparts=/dev/null".into(),
            format!("Dir::State::lists={}", self.own.join("lists").display()),
            format!("Dir::Cache={}", self.own.join("cache").display()),
            // What is installed here is no candidate there.
            "Dir::State::status=/dev/null".into(),
            "Acquire::Check-Valid-Until=false".into(),
            "APT::Sandbox::User=".into(),
        ] {
            command.arg("-o").arg(option);
        }
        output(command.args(words)).map(drop)
    }

    /// The file in the folder that ends so.
    pub(crate) fn fetched(&self, ending: &str) -> Result<PathBuf, Error> {
        fs::read_dir(self.folder)
            .map_err(Error::io("list a folder"))?
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|it| it == ending))
            .ok_or_else(|| Error::Unreadable {
                path: self.folder.into(),
                what: "package",
            })
    }

    /// Removes the lists.
    pub(crate) fn end(self) -> Result<(), Error> {
        fs::remove_dir_all(&self.own).map_err(Error::io("remove the lists of apt-get"))
    }
}
