//! Which changes a way takes.

use super::{
    Change,
    mounts::{MOUNTED, NOT_EMPTY, mounted},
    read_setting,
};
use crate::{
    Error,
    status::{Status, by_path, quoted},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What the file of settings is called; it comes after those of distributions.
const INI: &str = "90-phperf-hugepages.ini";
/// The kernel's count of pages of hugetlb.
const POOL: &str = "/proc/sys/vm/nr_hugepages";

/// How many pages of hugetlb are set aside, in addition to those that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool(pub u32);

/// `opcache.huge_code_pages=1` for a PHP, and pages of hugetlb where some are asked for.
pub fn by_opcache(binary: &Path, pool: Pool) -> Result<Vec<Change>, Error> {
    Status::of_file(binary)?;
    let folder = settings_folder(binary)?;
    let mut changes = Vec::new();
    if pool.0 > 0 {
        changes.push(set_aside(pool)?.0);
    }
    changes.push(Change::File {
        path: folder.join(INI),
        text: "; written by `phperf hugepages apply`, removed by `phperf hugepages revert`\nopcache.huge_code_pages=1\n"
            .into(),
    });
    Ok(changes)
}

/// So many pages of hugetlb more, and how many that makes.
pub(super) fn set_aside(more: Pool) -> Result<(Change, u64), Error> {
    let path = PathBuf::from(POOL);
    let before = read_setting(&path)?;
    let after = before.parse::<u64>().unwrap_or(0) + u64::from(more.0);
    let change = Change::Setting {
        path,
        before,
        after: after.to_string(),
    };
    Ok((change, after))
}

/// A file system in memory on `folder`, as large as `size` bytes need, for a copy of a PHP.
pub fn by_tmpfs(folder: &Path, size: u64) -> Result<Change, Error> {
    let refused = |why| Error::NoMountPoint {
        path: folder.into(),
        why,
    };
    let path = folder
        .canonicalize()
        .map_err(|_| refused("there is no such folder"))?;
    if !path.is_dir() {
        return Err(refused("it is no folder"));
    }
    if mounted(&path)?.is_some() {
        return Err(refused(MOUNTED));
    }
    let is_empty = fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_none());
    if !is_empty {
        return Err(refused(NOT_EMPTY));
    }
    // Room for one more copy, so that it can be replaced.
    let megabytes = (size >> 20) * 2 + 8;
    Ok(Change::Mount {
        path,
        options: format!("mode=755,size={megabytes}m,huge=within_size"),
    })
}

/// The last of the folders that a PHP reads its settings from.
fn settings_folder(binary: &Path) -> Result<PathBuf, Error> {
    let output = Command::new(by_path(binary))
        .arg("-i")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(Error::io(format!("start {}", quoted(binary))))?;
    folder_in(&String::from_utf8_lossy(&output.stdout))
        .filter(|folder| folder.is_dir())
        .ok_or_else(|| Error::NoSettings(binary.into()))
}

fn folder_in(information: &str) -> Option<PathBuf> {
    let line = information
        .lines()
        .find_map(|line| line.strip_prefix("Scan this dir for additional .ini files => "))?;
    let folder = line.rsplit(':').find(|folder| !folder.is_empty())?;
    folder.starts_with('/').then(|| folder.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_folder_wins() {
        let line = |value: &str| {
            folder_in(&format!(
                "x\nScan this dir for additional .ini files => {value}\ny"
            ))
        };
        assert_eq!(
            line("/etc/php/8.2/fpm/conf.d").unwrap(),
            Path::new("/etc/php/8.2/fpm/conf.d")
        );
        assert_eq!(line("/a:/b:").unwrap(), Path::new("/b"));
        assert_eq!(line("(none)"), None);
    }

    #[test]
    fn a_folder_that_is_used_takes_no_file_system() {
        let why = |path: &str| by_tmpfs(Path::new(path), 1).unwrap_err().to_string();
        assert!(why("/usr").contains("not empty"));
        assert!(why("/proc").contains("mounted on it already"));
        assert!(why("/nowhere").contains("no such folder"));
        assert!(why("/etc/passwd").contains("no folder"));
        let empty = tempfile::tempdir().unwrap();
        let change = by_tmpfs(empty.path(), 6 << 20).unwrap();
        assert!(
            matches!(change, Change::Mount { options, .. } if options.contains("size=20m,huge=within_size"))
        );
    }
}
