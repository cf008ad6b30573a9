//! A folder of files that are generated and committed: written, or compared with what would be written.

use anyhow::{Context, Result, bail, ensure};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// Files by their names.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The chore named as the folder that it fills: without an argument writes, with `--check` compares.
pub fn main(chore: &str, files: &Files, mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let folder = crate::root().join(chore);
    match arguments.next().as_deref() {
        None => write(&folder, files),
        Some("--check") => {
            let stale = stale(&folder, files)?;
            ensure!(
                stale.is_empty(),
                "{chore}/ is not what the command line gives ({}): run `cargo xtask {chore}` and commit it",
                stale.join(", ")
            );
            println!("{chore}/ is current");
            Ok(())
        }
        Some(other) => bail!("{other} is none of its arguments; there is: --check"),
    }
}

/// Writes all, and removes what is there and not among them.
fn write(folder: &Path, files: &Files) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for name in stale(folder, files)? {
        let path = folder.join(&name);
        match files.get(&name) {
            Some(bytes) => fs::write(&path, bytes),
            None => fs::remove_file(&path),
        }
        .with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The names of those that are missing, differ, or are not to be there.
fn stale(folder: &Path, files: &Files) -> Result<Vec<String>> {
    let mut names: BTreeSet<String> = files.keys().cloned().collect();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            names.insert(entry?.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names
        .into_iter()
        .filter(|name| fs::read(folder.join(name)).ok().as_ref() != files.get(name))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(of: &[(&str, &str)]) -> Files {
        of.iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect()
    }

    #[test]
    fn whatever_differs_is_stale_until_it_is_written() {
        let folder = std::env::temp_dir().join(format!("phperf-committed-{}", std::process::id()));
        let wanted = files(&[("a.1", "a"), ("b.1", "b")]);
        assert_eq!(stale(&folder, &wanted).unwrap(), ["a.1", "b.1"]);
        write(&folder, &wanted).unwrap();
        assert!(stale(&folder, &wanted).unwrap().is_empty());
        let wanted = files(&[("a.1", "a"), ("b.1", "new"), ("c.1", "c")]);
        fs::write(folder.join("gone.1"), "x").unwrap();
        assert_eq!(stale(&folder, &wanted).unwrap(), ["b.1", "c.1", "gone.1"]);
        write(&folder, &wanted).unwrap();
        assert!(stale(&folder, &wanted).unwrap().is_empty());
        fs::remove_dir_all(folder).unwrap();
    }
}
