//! A file that is written in pieces as large as a huge page.

use super::go_on;
use crate::Error;
use remote::huge;
use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};
use tempfile::NamedTempFile;

/// A file of no name yet in the folder of `to`, gone again unless it is given one.
pub fn beside(to: &Path) -> Result<NamedTempFile, Error> {
    let folder = match to.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    tempfile::Builder::new()
        .prefix(".phperf-")
        .tempfile_in(&folder)
        .map_err(Error::io(format!("write into {}", folder.display())))
}

/// Each piece is one write: the file system takes pages for the whole of it at once, large ones where it can.
pub fn fill(file: &mut File, bytes: &[u8], to: &Path, stop: &AtomicBool) -> Result<(), Error> {
    let doing = || format!("write {}", to.display());
    for piece in bytes.chunks(huge::SIZE as usize) {
        go_on(stop)?;
        file.write_all(piece).map_err(Error::io(doing()))?;
    }
    // Also where it shows that a disk is full.
    file.sync_all().map_err(Error::io(doing()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told() {
        let mut full = File::options().write(true).open("/dev/full").unwrap();
        let error = fill(&mut full, &[0; 10], Path::new("copy"), &AtomicBool::default()).unwrap_err();
        assert!(
            error.to_string().contains("cannot write copy: No space"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let error = beside(Path::new("/nowhere/copy")).unwrap_err();
        assert!(error.to_string().contains("/nowhere"), "{error}");
    }
}
