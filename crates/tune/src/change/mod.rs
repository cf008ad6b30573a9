//! What is changed on a machine, so that it can be undone.

mod journal;
mod memory;
mod mounts;
mod settings;

pub use journal::Journal;
pub use memory::by_memory;
pub use settings::{Pool, by_opcache, by_tmpfs};

use crate::Error;
use rustix::mount::{UnmountFlags, unmount};
use serde_json::{Value, json};
use std::{
    fmt, fs,
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file that was not there.
    File {
        /// Where.
        path: PathBuf,
        /// What it holds.
        text: String,
    },
    /// Another value of a setting of the kernel.
    Setting {
        /// Its file below `/proc/sys`.
        path: PathBuf,
        /// What it was.
        before: String,
        /// What it becomes.
        after: String,
    },
    /// A file system in memory with huge pages, over a folder.
    Mount {
        /// The folder.
        path: PathBuf,
        /// Its options.
        options: String,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, text } => write!(
                out,
                "file {} with: {}",
                path.display(),
                text.trim().replace('\n', "; ")
            ),
            Self::Setting { path, before, after } => {
                write!(out, "{}: {before} becomes {after}", path.display())
            }
            Self::Mount { path, options } => {
                write!(out, "file system in memory on {} ({options})", path.display())
            }
        }
    }
}

impl Change {
    /// Makes it.
    pub(crate) fn make(&self) -> Result<(), Error> {
        match self {
            Self::File { path, text } => {
                let doing = || format!("write {}", path.display());
                let mut file = File::create_new(path).map_err(|error| match error.kind() {
                    std::io::ErrorKind::AlreadyExists => Error::InTheWay(path.clone()),
                    _ => Error::io(doing())(error),
                })?;
                file.write_all(text.as_bytes()).map_err(|error| {
                    // Of a disk that is full, half of it would be left.
                    let _ = fs::remove_file(path);
                    Error::io(doing())(error)
                })
            }
            Self::Setting { path, before, after } => {
                fs::write(path, after).map_err(Error::io(format!("write {}", path.display())))?;
                let now = read_setting(path)?;
                if now == *after {
                    Ok(())
                } else {
                    let _ = fs::write(path, before);
                    Err(Error::Io {
                        doing: format!("set {} to {after}", path.display()),
                        why: std::io::Error::other(format!("the kernel has memory for {now} only")),
                    })
                }
            }
            Self::Mount { path, options } => mounts::mount(path, options),
        }
    }

    /// What cannot be written down cannot be undone.
    pub(crate) fn can_be_noted(&self) -> Result<(), Error> {
        let (Self::File { path, .. } | Self::Setting { path, .. } | Self::Mount { path, .. }) = self;
        match path.to_str() {
            Some(text) if !text.contains(char::is_control) => Ok(()),
            _ => Err(Error::OddName(path.clone())),
        }
    }

    /// Whether both are file systems on the same folder, of which there can be one.
    fn is_same_mount(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Mount { path: one, .. }, Self::Mount { path: other, .. }) if one == other)
    }

    /// Undoes it, if it still is as it was left.
    pub(crate) fn undo(&self, journal: &Path) -> Result<(), Error> {
        let changed = |what: String, now: String, left: String| Error::ChangedSince {
            what,
            now,
            left,
            journal: journal.into(),
        };
        match self {
            Self::File { path, text } => {
                let doing = || format!("remove {}", path.display());
                match fs::read(path) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
                    Ok(now) if now != text.as_bytes() => {
                        let now = format!("{} bytes", now.len());
                        return Err(changed(
                            path.display().to_string(),
                            now,
                            format!("{} bytes", text.len()),
                        ));
                    }
                    _ => {}
                }
                fs::remove_file(path).map_err(Error::io(doing()))
            }
            Self::Setting { path, before, after } => {
                let now = read_setting(path)?;
                // A reboot undoes it as well.
                if now == *before {
                    return Ok(());
                }
                if now != *after {
                    return Err(changed(path.display().to_string(), now, after.clone()));
                }
                fs::write(path, before).map_err(Error::io(format!("write {}", path.display())))
            }
            Self::Mount { path, .. } => {
                if !mounts::is_ours(path)? {
                    return Ok(());
                }
                unmount(path, UnmountFlags::NOFOLLOW).map_err(|errno| {
                    let hint = if errno == rustix::io::Errno::BUSY {
                        "; end the PHP that runs from there"
                    } else {
                        ""
                    };
                    Error::Io {
                        doing: format!("unmount {}", path.display()),
                        why: std::io::Error::other(format!("{}{hint}", std::io::Error::from(errno))),
                    }
                })
            }
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::File { path, text } => json!({ "file": path.to_string_lossy(), "text": text }),
            Self::Setting { path, before, after } => {
                json!({ "setting": path.to_string_lossy(), "before": before, "after": after })
            }
            Self::Mount { path, options } => json!({ "mount": path.to_string_lossy(), "options": options }),
        }
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let path = |key: &str| text(key).map(PathBuf::from).filter(|path| path.is_absolute());
        Some(if value.get("file").is_some() {
            Self::File {
                path: path("file")?,
                text: text("text")?,
            }
        } else if value.get("setting").is_some() {
            Self::Setting {
                path: path("setting")?,
                before: text("before")?,
                after: text("after")?,
            }
        } else {
            Self::Mount {
                path: path("mount")?,
                options: text("options")?,
            }
        })
    }
}

/// A value of the kernel's.
fn read_setting(path: &Path) -> Result<String, Error> {
    let text = fs::read_to_string(path).map_err(Error::io(format!("read {}", path.display())))?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_removed_unless_somebody_changed_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ini");
        let change = Change::File {
            path: path.clone(),
            text: "opcache.huge_code_pages=1\n".into(),
        };
        change.make().unwrap();
        assert!(matches!(change.make(), Err(Error::InTheWay(_))));
        fs::write(&path, "mine").unwrap();
        let error = change.undo(Path::new("j")).unwrap_err();
        assert!(matches!(error, Error::ChangedSince { .. }), "{error}");
        fs::remove_file(&path).unwrap();
        change.make().unwrap();
        change.undo(Path::new("j")).unwrap();
        assert!(!path.exists());
        change.undo(Path::new("j")).unwrap();
    }

    #[test]
    fn a_setting_gets_its_old_value_unless_somebody_changed_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let change = Change::Setting {
            path: file.path().into(),
            before: "0".into(),
            after: "4".into(),
        };
        fs::write(file.path(), "0\n").unwrap();
        change.make().unwrap();
        assert_eq!(read_setting(file.path()).unwrap(), "4");
        change.undo(Path::new("j")).unwrap();
        assert_eq!(read_setting(file.path()).unwrap(), "0");
        fs::write(file.path(), "9").unwrap();
        assert!(change.undo(Path::new("j")).is_err());
    }
}
