//! A file that the user asked for.

use crate::fresh::empty;
use anyhow::{Context, Result};
use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// A file that is to be written at the end. It is opened at the start, so that a mistake costs no time, and keeps what it
/// holds until there is something new.
#[derive(Debug)]
pub struct Wanted {
    path: PathBuf,
    /// None is standard output.
    file: Option<File>,
    /// Whether it was not there before: then nothing is left of it unless it is written.
    is_new: bool,
}

impl Wanted {
    /// Opens the file that the argument `named` names; `-` is standard output.
    pub fn open(path: &Path, named: &str) -> Result<Self> {
        let is_new = !path.exists();
        let file =
            if path.as_os_str() == "-" {
                None
            } else {
                let mut options = File::options();
                let file = options.write(true).create(true).truncate(false).open(path);
                Some(file.with_context(|| {
                    format!("cannot write {}; name another file as {named}", path.display())
                })?)
            };
        Ok(Self {
            path: path.into(),
            is_new: is_new && file.is_some(),
            file,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is standard output.
    #[cfg(any(feature = "bench", feature = "compare"))]
    pub const fn is_standard_output(&self) -> bool {
        self.file.is_none()
    }

    /// Writes it, in place of what it held.
    pub fn write<R>(mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<R>) -> Result<R> {
        let result = if let Some(file) = &self.file {
            empty(file).and_then(|()| flushed(file, write))
        } else {
            flushed(io::stdout().lock(), write)
        };
        let result = result.with_context(|| format!("cannot write {}", self.path.display()))?;
        self.is_new = false;
        Ok(result)
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        if self.is_new {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn flushed<R>(to: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<R>) -> io::Result<R> {
    let mut out = BufWriter::new(to);
    let result = write(&mut out)?;
    out.flush()?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_until_something_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "a long old text").unwrap();
        for path in [&old, &new] {
            drop(Wanted::open(path, "--json").unwrap());
        }
        assert_eq!(fs::read_to_string(&old).unwrap(), "a long old text");
        assert!(!new.exists());
        for path in [&old, &new] {
            let file = Wanted::open(path, "--json").unwrap();
            file.write(|out| out.write_all(b"short")).unwrap();
            assert_eq!(fs::read_to_string(path).unwrap(), "short");
        }
    }

    #[test]
    fn what_cannot_be_written_is_told_at_once() {
        let error = Wanted::open(Path::new("/nonexistent/x"), "--json").unwrap_err();
        assert!(error.to_string().contains("--json"), "{error}");
        let full = Wanted::open(Path::new("/dev/full"), "--json").unwrap();
        assert!(full.write(|out| out.write_all(b"x")).is_err());
    }
}
