//! A file for text as it comes.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A file that keeps what it held until the first write, or the first flush. One that was not there before is gone again
/// without either.
#[derive(Debug)]
pub struct Fresh {
    path: PathBuf,
    file: File,
    is_new: bool,
    is_begun: bool,
}

impl Fresh {
    pub fn open(path: &Path) -> io::Result<Self> {
        let is_new = !path.exists();
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        Ok(Self {
            path: path.into(),
            file,
            is_new,
            is_begun: false,
        })
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.is_begun {
            empty(&self.file)?;
            self.is_begun = true;
        }
        Ok(())
    }
}

impl Write for Fresh {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.begin()?;
        self.file.flush()
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if self.is_new && !self.is_begun {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A pipe or a device cannot be emptied, and need not be.
pub fn empty(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(())
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
            drop(Fresh::open(path).unwrap());
        }
        assert_eq!(fs::read_to_string(&old).unwrap(), "a long old text");
        assert!(!new.exists());
        for path in [&old, &new] {
            Fresh::open(path).unwrap().write_all(b"short").unwrap();
            assert_eq!(fs::read_to_string(path).unwrap(), "short");
            // No samples are something new, too.
            Fresh::open(path).unwrap().flush().unwrap();
            assert_eq!(fs::read_to_string(path).unwrap(), "");
        }
        Fresh::open(Path::new("/dev/null"))
            .unwrap()
            .write_all(b"x")
            .unwrap();
    }
}
