//! What was changed and not yet undone, kept in a file.

use super::Change;
use crate::Error;
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// Of the file's format.
const VERSION: u64 = 1;

/// The changes of a machine.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    changes: Vec<Change>,
}

impl Journal {
    /// Reads it; one that is not there is empty.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            changes: read(path)?,
            path: path.into(),
        })
    }

    /// What was changed, the oldest first.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Makes changes, all of them or none. Each is noted before it is made.
    pub fn make(&mut self, changes: &[Change]) -> Result<(), Error> {
        for change in changes {
            change.can_be_noted()?;
        }
        let folder = self.lock()?;
        self.changes = read(&self.path)?;
        for (done, change) in changes.iter().enumerate() {
            let before = self.changes.clone();
            // A reboot undid it, or it could not be made again.
            self.changes.retain(|before| !before.is_same_mount(change));
            self.changes.push(change.clone());
            if let Err(error) = self.save(&folder).and_then(|()| change.make()) {
                // What was half made is not undone: it was not there, or somebody else's.
                self.changes = before;
                for _ in 0..done {
                    self.undo_last()?;
                }
                self.save(&folder)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Undoes all that was read, the newest first; what cannot be undone stays noted, with what is older.
    pub fn revert(&mut self) -> Result<Vec<Change>, Error> {
        if self.changes.is_empty() {
            return Err(Error::NothingToUndo(self.path.clone()));
        }
        let folder = self.lock()?;
        // Others than those that somebody was shown are not undone.
        if read(&self.path)? != self.changes {
            return Err(Error::Meanwhile(self.path.clone()));
        }
        let mut undone = Vec::new();
        while let Some(change) = self.changes.last().cloned() {
            self.undo_last()?;
            self.save(&folder)?;
            undone.push(change);
        }
        Ok(undone)
    }

    /// Undoes one change alone.
    pub fn undo(&mut self, change: &Change) -> Result<(), Error> {
        let folder = self.lock()?;
        self.changes = read(&self.path)?;
        if let Some(at) = self.changes.iter().rposition(|noted| noted == change) {
            change.undo(&self.path)?;
            self.changes.remove(at);
        }
        self.save(&folder)
    }

    fn undo_last(&mut self) -> Result<(), Error> {
        if let Some(change) = self.changes.last() {
            change.undo(&self.path)?;
            self.changes.pop();
        }
        Ok(())
    }

    /// Waits until no other phperf changes anything; for as long as what is returned is open, none does.
    fn lock(&self) -> Result<File, Error> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(Error::io(format!("make {}", folder.display())))?;
        let doing = || format!("lock {}", folder.display());
        let folder = File::open(folder).map_err(Error::io(doing()))?;
        flock(&folder, FlockOperation::LockExclusive).map_err(Error::errno(doing()))?;
        Ok(folder)
    }

    /// Writes it anew, and puts it in place at once; without changes there is no file.
    fn save(&self, lock: &File) -> Result<(), Error> {
        let doing = || format!("write {}", self.path.display());
        if self.changes.is_empty() {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(doing())(error)),
                _ => Ok(()),
            };
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let changes: Vec<Value> = self.changes.iter().map(Change::to_json).collect();
        let text = format!(
            "{:#}\n",
            json!({ "phperf": "hugepages", "version": VERSION, "changes": changes })
        );
        let draft = tempfile::NamedTempFile::new_in(folder).map_err(Error::io(doing()))?;
        fs::write(draft.path(), text).map_err(Error::io(doing()))?;
        draft.as_file().sync_all().map_err(Error::io(doing()))?;
        draft
            .persist(&self.path)
            .map_err(|error| Error::io(doing())(error.error))?;
        // Its name has to be on the disk before the change may be.
        lock.sync_all().map_err(Error::io(doing()))
    }
}

fn read(path: &Path) -> Result<Vec<Change>, Error> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::io(format!("read {}", path.display()))(error)),
        Ok(text) => parse(&text).ok_or_else(|| Error::Journal(path.into())),
    }
}

fn parse(text: &str) -> Option<Vec<Change>> {
    let value: Value = serde_json::from_str(text).ok()?;
    if value["phperf"] != "hugepages" || value["version"] != VERSION {
        return None;
    }
    value["changes"]
        .as_array()?
        .iter()
        .map(Change::from_json)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(path: PathBuf) -> Change {
        Change::File {
            path,
            text: "a\n".into(),
        }
    }

    #[test]
    fn all_or_none_and_the_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let journal = path("state/journal.json");
        let mut changes = Journal::open(&journal).unwrap();
        changes.make(&[file(path("a")), file(path("b"))]).unwrap();
        assert!(changes.make(&[file(path("c")), file(path("no/d"))]).is_err());
        assert!(path("a").exists() && !path("c").exists());
        // As somebody finds it later.
        let mut later = Journal::open(&journal).unwrap();
        assert_eq!(later.changes(), [file(path("a")), file(path("b"))]);
        let undone = later.revert().unwrap();
        assert_eq!(undone, [file(path("b")), file(path("a"))]);
        assert!(!path("a").exists() && !path("b").exists() && !journal.exists());
        assert!(matches!(later.revert(), Err(Error::NothingToUndo(_))));
    }

    #[test]
    fn two_at_once_forget_nothing_of_one_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let journal = path("journal.json");
        let mut shown = Journal::open(&journal).unwrap();
        shown.make(&[file(path("a"))]).unwrap();
        // Both have read the same before either changes anything.
        let (mut one, mut other) = (Journal::open(&journal).unwrap(), Journal::open(&journal).unwrap());
        one.make(&[file(path("b"))]).unwrap();
        other.make(&[file(path("c"))]).unwrap();
        assert!(matches!(shown.revert(), Err(Error::Meanwhile(_))));
        assert!(path("a").exists());
        one.undo(&file(path("b"))).unwrap();
        assert!(!path("b").exists() && path("c").exists());
        let undone = Journal::open(&journal).unwrap().revert().unwrap();
        assert_eq!(undone, [file(path("c")), file(path("a"))]);
        assert!(!path("a").exists() && !path("c").exists() && !journal.exists());
    }

    #[test]
    fn a_name_that_the_journal_cannot_hold_is_refused_before_anything_is_made() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"a\xff"));
        let mut journal = Journal::open(&folder.path().join("journal.json")).unwrap();
        let error = journal.make(&[file(odd.clone())]).unwrap_err();
        assert!(matches!(error, Error::OddName(_)), "{error}");
        assert!(!odd.exists());
    }

    #[test]
    fn what_is_no_journal_is_left_alone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "{}").unwrap();
        assert!(matches!(Journal::open(file.path()), Err(Error::Journal(_))));
    }

    proptest! {
        #[test]
        fn any_text(text: String) {
            let _ = parse(&text);
        }
    }
}
