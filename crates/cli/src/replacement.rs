//! A file that takes another one's place once it is there.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata},
    io::{self, Write},
    os::unix::fs::{MetadataExt, chown},
    path::{Path, PathBuf},
    process,
};

/// So many neighbours of one name are there never.
const NAMES: u32 = 1000;

/// What is written beside a file and takes its name with [`Replacement::commit`]. Until then the file holds what it held,
/// or is not there; and without it nothing is left.
///
/// A pipe or a device is written at once.
#[derive(Debug)]
pub struct Replacement {
    file: File,
    beside: Option<Beside>,
}

#[derive(Debug)]
struct Beside {
    path: PathBuf,
    place: PathBuf,
}

impl Replacement {
    /// Opens a neighbour of `path`, which has to be writable itself if it is there.
    pub fn open(path: &Path) -> io::Result<Self> {
        let found = match fs::metadata(path) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let is_stream =
            |found: &Metadata| !found.is_file() || path.starts_with("/dev") || path.starts_with("/proc");
        if found.as_ref().is_some_and(is_stream) {
            let file = File::options().write(true).open(path)?;
            return Ok(Self { file, beside: None });
        }
        let place = if found.is_some() {
            File::options().append(true).open(path)?;
            // Behind a link lies what is meant.
            fs::canonicalize(path)?
        } else if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(io::ErrorKind::IsADirectory.into());
        } else {
            path.to_owned()
        };
        let (file, path) = neighbour(&place)?;
        let beside = Beside { path, place };
        if let Some(found) = found {
            // Who may not give it away keeps it.
            let _ = chown(&beside.path, Some(found.uid()), Some(found.gid()));
            let _ = file.set_permissions(found.permissions());
        }
        Ok(Self {
            file,
            beside: Some(beside),
        })
    }

    /// Whether what is written is there at once: it is a pipe or a device, or has taken the place.
    pub const fn is_in_place(&self) -> bool {
        self.beside.is_none()
    }

    /// Takes the place. What is written after that is there at once.
    pub fn commit(&mut self) -> io::Result<()> {
        if let Some(beside) = &self.beside {
            fs::rename(&beside.path, &beside.place)?;
            self.beside = None;
        }
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            let _ = fs::remove_file(&beside.path);
        }
    }
}

/// A new file in the folder of `place`, whoever else may write there.
fn neighbour(place: &Path) -> io::Result<(File, PathBuf)> {
    let name = place.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    for number in 0..NAMES {
        let mut name = name.to_owned();
        name.push(format!(".{}-{number}.part", process::id()));
        let path = place.with_file_name(name);
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A new file at `path`, or beside it with a number where something is there: nothing is overwritten, no link followed.
pub fn fresh(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    for number in 0..NAMES {
        let mut numbered = OsString::from(if number == 0 {
            String::new()
        } else {
            format!("{number}-")
        });
        numbered.push(name);
        let path = path.with_file_name(numbered);
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// What is wrong with a file that an option names, and what helps.
pub fn cannot(path: &Path, option: &str) -> String {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match folder {
        _ if path.as_os_str() == "-" => "cannot write to standard output".into(),
        Some(folder) if !folder.is_dir() => {
            format!(
                "cannot write {}: there is no folder {}; make it, or name another with {option}",
                path.display(),
                folder.display()
            )
        }
        _ => format!("cannot write {}; name another file with {option}", path.display()),
    }
}

/// A [`Replacement`] that takes the place with the first bytes, or the first flush: for what is read while it is written.
#[derive(Debug)]
pub struct AtOnce(pub Replacement);

impl Write for AtOnce {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.0.commit()?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        self.0.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_there_stays_until_all_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "a long old text").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        for path in [&old, &new] {
            // One that fails, whatever it has written.
            Replacement::open(path).unwrap().write_all(b"half").unwrap();
            drop(AtOnce(Replacement::open(path).unwrap()));
        }
        assert_eq!(fs::read_to_string(&old).unwrap(), "a long old text");
        assert_eq!(names(folder.path()), ["old"]);
        for path in [&old, &new] {
            let mut both = [Replacement::open(path).unwrap(), Replacement::open(path).unwrap()];
            for (replacement, text) in both.iter_mut().zip(["first", "last"]) {
                replacement.write_all(text.as_bytes()).unwrap();
                replacement.commit().unwrap();
                assert_eq!(fs::read_to_string(path).unwrap(), text);
            }
        }
        assert_eq!(fs::metadata(&old).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["new", "old"]);
    }

    #[test]
    fn what_is_read_along_is_there_with_its_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = AtOnce(Replacement::open(&path).unwrap());
        file.write_all(b"one").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        file.write_all(b" two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one two");
        // No samples are something new, too.
        AtOnce(Replacement::open(&path).unwrap()).flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    #[test]
    fn what_is_saved_elsewhere_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.svg");
        symlink("elsewhere", &path).unwrap();
        let names = [fresh(&path), fresh(&path)].map(|found| found.unwrap().1);
        assert_eq!(names, ["1-p.svg", "2-p.svg"].map(|name| folder.path().join(name)));
        assert!(!folder.path().join("elsewhere").exists());
    }

    #[test]
    fn links_stay_and_devices_too() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        let mut replacement = Replacement::open(&link).unwrap();
        replacement.write_all(b"new").unwrap();
        replacement.commit().unwrap();
        assert_eq!(
            (fs::read_to_string(&file).unwrap(), names(folder.path())),
            ("new".into(), vec!["file".into(), "link".into()])
        );
        assert!(link.is_symlink());

        let mut null = Replacement::open(Path::new("/dev/null")).unwrap();
        assert!(null.is_in_place());
        null.write_all(b"x").unwrap();
        null.commit().unwrap();
        for wrong in [
            folder.path(),
            &folder.path().join("new/"),
            &folder.path().join("none/file"),
        ] {
            assert!(Replacement::open(wrong).is_err(), "{wrong:?}");
        }
    }
}
