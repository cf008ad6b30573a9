//! What was changed and not yet undone, kept in a file.

use super::Change;
use crate::Error;
use serde_json::{Value, json};
use std::{
    fs,
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
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self {
                    path: path.into(),
                    changes: Vec::new(),
                });
            }
            text => text.map_err(Error::io(format!("read {}", path.display())))?,
        };
        Ok(Self {
            changes: parse(&text).ok_or_else(|| Error::Journal(path.into()))?,
            path: path.into(),
        })
    }

    /// What was changed, the oldest first.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Makes changes, all of them or none. Each is noted before it is made.
    pub fn make(&mut self, changes: &[Change]) -> Result<(), Error> {
        let before = self.changes.len();
        for change in changes {
            self.changes.push(change.clone());
            if let Err(error) = self.save().and_then(|()| change.make()) {
                // What was half made is not undone: it was not there, or somebody else's.
                self.changes.pop();
                while self.changes.len() > before {
                    self.undo_last()?;
                }
                self.save()?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Undoes all, the newest first; what cannot be undone stays noted, with what is older.
    pub fn revert(&mut self) -> Result<Vec<Change>, Error> {
        if self.changes.is_empty() {
            return Err(Error::NothingToUndo(self.path.clone()));
        }
        let mut undone = Vec::new();
        while let Some(change) = self.changes.last().cloned() {
            self.undo_last()?;
            self.save()?;
            undone.push(change);
        }
        Ok(undone)
    }

    /// Undoes the newest change.
    pub fn revert_newest(&mut self) -> Result<(), Error> {
        self.undo_last()?;
        self.save()
    }

    fn undo_last(&mut self) -> Result<(), Error> {
        if let Some(change) = self.changes.last() {
            change.undo(&self.path)?;
            self.changes.pop();
        }
        Ok(())
    }

    /// Writes it anew, and puts it in place at once; without changes there is no file.
    fn save(&self) -> Result<(), Error> {
        let doing = || format!("write {}", self.path.display());
        if self.changes.is_empty() {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(doing())(error)),
                _ => Ok(()),
            };
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(Error::io(format!("make {}", folder.display())))?;
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
        Ok(())
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
