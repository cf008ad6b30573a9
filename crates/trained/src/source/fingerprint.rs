//! What the sources say, as one number.

use crate::Error;
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

/// Names of what is compiled. Configure itself counts, and what it writes among the sources (`main/php_config.h.in`) does not.
const ENDINGS: [&str; 13] = [
    "c", "h", "cpp", "inc", "s", "S", "asm", "re", "y", "l", "def", "dasc", "m4",
];

/// Stands for the content of all that is compiled: a build whose sources have another one is another build.
pub(crate) fn fingerprint(tree: &Path) -> Result<u64, Error> {
    let mut hasher = DefaultHasher::new();
    add(tree, &mut hasher)?;
    Ok(hasher.finish())
}

fn add(folder: &Path, hasher: &mut DefaultHasher) -> Result<(), Error> {
    let cannot = || Error::io(format!("read {}", folder.display()));
    let mut entries: Vec<_> = fs::read_dir(folder)
        .map_err(cannot())?
        .collect::<Result<_, _>>()
        .map_err(cannot())?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().map_err(cannot())?);
        let name = entry.file_name();
        if kind.is_dir() {
            // Tests are thousands of files that nobody compiles.
            if name != "tests" && name != ".git" {
                name.hash(hasher);
                add(&path, hasher)?;
            }
        } else if name == "configure"
            || path
                .extension()
                .is_some_and(|it| ENDINGS.iter().any(|ending| it == *ending))
        {
            name.hash(hasher);
            fs::read(&path)
                .map_err(Error::io(format!("read {}", path.display())))?
                .hash(hasher);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_counts_and_when_it_was_written_does_not() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("Zend/zend.c");
        let write = |text: &str| fs::write(&file, text).unwrap();
        fs::create_dir_all(place.path().join("Zend/tests")).unwrap();
        write("int a;");
        let first = fingerprint(place.path()).unwrap();
        write("int a;");
        fs::write(place.path().join("Zend/tests/a.c"), "").unwrap();
        fs::write(place.path().join("README"), "").unwrap();
        assert_eq!(fingerprint(place.path()).unwrap(), first);
        write("int b;");
        assert_ne!(fingerprint(place.path()).unwrap(), first);
    }
}
