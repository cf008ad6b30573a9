//! Where PHP's sources come from.

mod apt;
mod archives;
mod fingerprint;

pub(crate) use fingerprint::fingerprint;

use crate::{Error, Like, Watch, run, stage::Folder, stage::emptied};
use std::{
    fs,
    hash::{Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    time::UNIX_EPOCH,
};

/// Where sources are in the folder of a build.
pub(crate) const SOURCE: &str = "source";
/// Copies one folder to another without its history.
const COPY: &str = r#"tar -C "$0" --exclude=./.git -cf - . | tar -C "$1" -xf -"#;

/// Sources of PHP, fetched or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A tree with `configure`, which is copied, for configure writes into it.
    Tree {
        /// Where it is.
        path: PathBuf,
        /// What it says.
        content: u64,
    },
    /// An archive of one, or the `.dsc` of a source package.
    Archive(PathBuf),
    /// A source package of the distribution, in the version of the binary that is installed.
    Package {
        /// Of the source package.
        name: String,
        /// Of the source package.
        version: String,
        /// The installed package.
        binary: String,
    },
}

impl Origin {
    /// What was named, or else where the distribution's own binary comes from.
    pub fn of(named: Option<&Path>, like: Option<&Like>) -> Result<Self, Error> {
        match (named, like) {
            (Some(path), _) => {
                let path = path
                    .canonicalize()
                    .map_err(Error::io(format!("find the sources {}", path.display())))?;
                if path.is_file() {
                    return Ok(Self::Archive(path));
                }
                is_usable(&path)?;
                let content = fingerprint(&path)?;
                Ok(Self::Tree { path, content })
            }
            (None, Some(like)) => apt::package_of(&like.binary.path),
            (None, None) => Err(Error::Asked(
                "name the PHP that the new one is to be like (--like), or its sources (--source)".into(),
            )),
        }
    }

    /// Programs that fetching them takes, and what is made from them.
    pub fn tools(&self) -> &'static [&'static str] {
        match self {
            Self::Package { .. } => &["apt-get", "dpkg-source", "autoconf", "pkg-config"],
            Self::Archive(path) if is_description(path) => &["dpkg-source", "autoconf", "pkg-config"],
            Self::Tree { .. } | Self::Archive(_) => &[],
        }
    }

    /// Puts them into the folder's `source`.
    pub fn fetch(&self, folder: &Folder, watch: &mut dyn Watch) -> Result<(), Error> {
        let tree = folder.at(SOURCE);
        emptied(&tree)?;
        let mut tar =
            |command: &mut Command| run::logged("tar", command, &folder.log("source"), watch, |_, _| {});
        match self {
            Self::Tree { path, .. } => tar(Command::new("sh").args(["-c", COPY]).arg(path).arg(&tree))?,
            Self::Archive(path) if is_description(path) => apt::unpack(path, &tree, folder, watch)?,
            Self::Archive(path) => tar(Command::new("tar")
                .args(["--strip-components=1", "-xf"])
                .arg(path)
                .arg("-C")
                .arg(&tree))?,
            Self::Package {
                name,
                version,
                binary,
            } => apt::fetch([name, version, binary], &tree, folder, watch)?,
        }
        is_usable(&tree)
    }
}

impl Hash for Origin {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Tree { path, content } => (path, content).hash(state),
            Self::Archive(path) => {
                let metadata = fs::metadata(path).ok();
                let changed = metadata.as_ref().and_then(|it| it.modified().ok());
                let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                (path, metadata.map(|it| it.len()), changed).hash(state);
            }
            Self::Package { name, version, .. } => (name, version).hash(state),
        }
    }
}

/// Whether it describes a source package.
fn is_description(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "dsc")
}

fn is_usable(tree: &Path) -> Result<(), Error> {
    if !tree.join("main/php_version.h").is_file() {
        return Err(Error::NoSource(format!("{} holds no PHP", tree.display())));
    }
    if !tree.join("configure").is_file() {
        return Err(Error::NoSource(format!(
            "{} has no configure: run ./buildconf --force there",
            tree.display()
        )));
    }
    if tree.join("main/php_config.h").exists() {
        return Err(Error::NoSource(format!(
            "{} was configured in place, and that gets in the way: run make distclean there, or name an archive",
            tree.display()
        )));
    }
    Ok(())
}
