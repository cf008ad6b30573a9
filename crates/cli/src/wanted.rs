//! A file that the user asked for.

use crate::replacement::{Replacement, cannot};
use anyhow::{Context, Result};
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// A file that is to be written at the end. It is opened at the start, so that a mistake costs no time, and keeps what it
/// holds until all of the new is written.
#[derive(Debug)]
pub struct Wanted {
    path: PathBuf,
    /// None is standard output.
    file: Option<Replacement>,
}

impl Wanted {
    /// Opens the file that the argument `named` names; `-` is standard output.
    pub fn open(path: &Path, named: &str) -> Result<Self> {
        let file = if path.as_os_str() == "-" {
            None
        } else {
            Some(Replacement::open(path).with_context(|| cannot(path, named))?)
        };
        Ok(Self {
            path: path.into(),
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
    pub fn write<R>(self, write: impl FnOnce(&mut dyn Write) -> io::Result<R>) -> Result<R> {
        let result = match self.file {
            Some(mut file) => flushed(&mut file, write).and_then(|result| file.commit().map(|()| result)),
            None => flushed(io::stdout().lock(), write),
        };
        result.with_context(|| format!("cannot write {}", self.path.display()))
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
    use std::fs;

    #[test]
    fn what_was_there_stays_where_the_new_is_not_written_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "a long old text").unwrap();
        for path in [&old, &new] {
            drop(Wanted::open(path, "--json").unwrap());
            let failed = Wanted::open(path, "--json").unwrap().write(|out| {
                out.write_all(b"short")?;
                Err::<(), _>(io::ErrorKind::StorageFull.into())
            });
            assert!(failed.is_err());
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
