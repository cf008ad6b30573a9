//! Whether a master of PHP-FPM still runs by what its configuration says.
//!
//! Nobody can ask a master for its settings. But what it has read is what the files say, as long as they are older than its
//! start. A reload executes the program anew under the same number, so that the process tells no time of it; the memory
//! that it shares with its workers does: it is mapped while PHP-FPM starts, and its file, which has no name, is as old as that.

use crate::Error;
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// A file that changed after the master had read its configuration; an error where it cannot be seen when that was.
pub(super) fn changed(pid: u32, configuration: &Path) -> Result<Option<PathBuf>, Error> {
    let read = shared_since(pid).map_err(Error::io(format!(
        "see when {pid} read its configuration (as root)"
    )))?;
    for file in files(configuration)? {
        let changed = fs::metadata(&file).and_then(|metadata| metadata.modified());
        if changed.map_err(Error::io(format!("see {}", file.display())))? > read {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// When the oldest memory was mapped that the process shares without a file: what is mapped later tells nothing.
fn shared_since(pid: u32) -> std::io::Result<SystemTime> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
    let mut oldest: Option<SystemTime> = None;
    for line in maps.lines().filter(|line| line.ends_with("/dev/zero (deleted)")) {
        let range = line.split(' ').next().unwrap_or_default();
        let file = fs::metadata(format!("/proc/{pid}/map_files/{range}"))?;
        let since = SystemTime::UNIX_EPOCH + Duration::new(file.mtime() as u64, file.mtime_nsec() as u32);
        oldest = Some(oldest.map_or(since, |oldest| oldest.min(since)));
    }
    oldest.ok_or_else(|| std::io::Error::other("it shares no memory with its workers"))
}

/// The configuration, and the folders and files that it includes.
fn files(configuration: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let mut files = BTreeSet::from([configuration.to_path_buf()]);
    let text =
        fs::read_to_string(configuration).map_err(Error::io(format!("read {}", configuration.display())))?;
    for pattern in text.lines().filter_map(included) {
        let Some(folder) = Path::new(pattern).parent() else {
            continue;
        };
        // What a pattern in the folder's own path stands for is not looked at: distributions have none.
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        files.insert(folder.into());
        files.extend(
            entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.is_file()),
        );
    }
    Ok(files)
}

/// Of a line such as `include = /etc/php/8.2/fpm/pool.d/*.conf`.
fn included(line: &str) -> Option<&str> {
    let value = line
        .trim_start()
        .strip_prefix("include")?
        .trim_start()
        .strip_prefix('=')?;
    Some(value.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_folders_are_looked_at() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("pool.d");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("www.conf"), "").unwrap();
        let configuration = place.path().join("fpm.conf");
        let text = format!(
            "[global]\n;include=/nowhere/*\n include = {}/*.conf\n",
            folder.display()
        );
        fs::write(&configuration, text).unwrap();
        let found = files(&configuration).unwrap();
        assert_eq!(
            found,
            BTreeSet::from([configuration, folder.clone(), folder.join("www.conf")])
        );
    }
}
