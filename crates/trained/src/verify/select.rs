//! Which of PHP's own tests to run.

use crate::Error;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// How many of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// About [`SAMPLE`] of those of the language, evenly spread.
    Quick,
    /// All of the language, and those of the extensions that both PHPs have.
    Full,
}

/// So many tests are quick.
const SAMPLE: usize = 300;
/// The language's own tests that say most in little time.
const BASIC: [&str; 3] = ["Zend/tests", "tests/basic", "tests/lang"];
/// All of the language's own.
const LANGUAGE: [&str; 2] = ["Zend/tests", "tests"];

/// Folders of the sources that a run needs; tests read files beside them.
pub(super) fn folders(depth: Depth, extensions: &[String], source: &Path) -> Vec<String> {
    let mut folders: Vec<_> = LANGUAGE.map(str::to_owned).to_vec();
    if depth == Depth::Full {
        folders.extend(
            extensions
                .iter()
                .map(|name| format!("ext/{}/tests", folder_of(name))),
        );
    }
    folders.retain(|folder| source.join(folder).is_dir());
    folders.sort();
    folders.dedup();
    folders
}

/// The tests below `tree`, by their paths in it.
pub(super) fn tests(depth: Depth, folders: &[String], tree: &Path) -> Result<Vec<String>, Error> {
    let mut tests = Vec::new();
    match depth {
        Depth::Quick => BASIC
            .iter()
            .try_for_each(|folder| list(tree, folder, &mut tests))?,
        Depth::Full => folders
            .iter()
            .try_for_each(|folder| list(tree, folder, &mut tests))?,
    }
    tests.sort();
    Ok(match depth {
        Depth::Quick => sampled(tests),
        Depth::Full => tests,
    })
}

/// Every so-and-so-many-th: the same ones each time.
fn sampled(tests: Vec<String>) -> Vec<String> {
    let step = tests.len().div_ceil(SAMPLE).max(1);
    tests.into_iter().step_by(step).collect()
}

/// `Zend OPcache` lies in `ext/opcache`; all others are named as their folders.
fn folder_of(extension: &str) -> String {
    match extension {
        "Zend OPcache" => "opcache".into(),
        name => name.to_lowercase(),
    }
}

fn list(tree: &Path, folder: &str, tests: &mut Vec<String>) -> Result<(), Error> {
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        let path = tree.join(&folder);
        let cannot = || Error::io(format!("list {}", path.display()));
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries.map_err(cannot())?,
        };
        for entry in entries {
            let entry = entry.map_err(cannot())?;
            let within = folder.join(entry.file_name());
            if entry.file_type().map_err(cannot())?.is_dir() {
                folders.push(within);
            } else if within.extension().is_some_and(|it| it == "phpt") {
                tests.push(within.to_string_lossy().into_owned());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        for file in files {
            let file = tree.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        tree
    }

    #[test]
    fn full_has_the_tests_of_the_extensions_too() {
        let tree = tree(&[
            "Zend/tests/a.phpt",
            "Zend/tests/more/b.phpt",
            "Zend/tests/data.inc",
            "tests/lang/c.phpt",
            "tests/output/d.phpt",
            "ext/standard/tests/e.phpt",
            "ext/opcache/tests/f.phpt",
            "ext/gd/tests/g.phpt",
        ]);
        let both = ["Core", "standard", "Zend OPcache"].map(str::to_owned);
        let of = |depth| {
            let folders = folders(depth, &both, tree.path());
            tests(depth, &folders, tree.path()).unwrap()
        };
        assert_eq!(
            of(Depth::Quick),
            ["Zend/tests/a.phpt", "Zend/tests/more/b.phpt", "tests/lang/c.phpt"]
        );
        assert_eq!(
            of(Depth::Full),
            [
                "Zend/tests/a.phpt",
                "Zend/tests/more/b.phpt",
                "ext/opcache/tests/f.phpt",
                "ext/standard/tests/e.phpt",
                "tests/lang/c.phpt",
                "tests/output/d.phpt"
            ]
        );
    }

    #[test]
    fn a_sample_is_spread_over_all() {
        let all: Vec<_> = (0..1000).map(|number| format!("{number:04}")).collect();
        let sample = sampled(all);
        assert_eq!(sample.len(), 250);
        assert_eq!((sample[1].as_str(), sample[249].as_str()), ("0004", "0996"));
        assert!(sampled(Vec::new()).is_empty());
    }
}
