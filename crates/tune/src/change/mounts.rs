//! File systems in memory, and what is mounted where.

use crate::Error;
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
    mount::MountFlags,
};
use std::{ffi::CString, fs, os::fd::AsRawFd, os::unix::ffi::OsStrExt, path::Path};

/// What phperf's own file systems are called in lists of mounts.
const SOURCE: &str = "phperf";

/// Mounts one on an empty folder. The folder is held open from the look to the mount: nobody can put a link to another in
/// its place.
pub fn mount(path: &Path, options: &str) -> Result<(), Error> {
    let doing = || format!("mount a file system on {}", path.display());
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder =
        openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).map_err(Error::errno(doing()))?;
    let held = format!("/proc/self/fd/{}", folder.as_raw_fd());
    let refused = |why| Error::NoMountPoint {
        path: path.into(),
        why,
    };
    if mounted(path)?.is_some() {
        return Err(refused(MOUNTED));
    }
    let mut entries = fs::read_dir(&held).map_err(Error::io(doing()))?;
    if entries.next().is_some() {
        return Err(refused(NOT_EMPTY));
    }
    let options = CString::new(options).unwrap_or_default();
    rustix::mount::mount(SOURCE, &held, "tmpfs", MountFlags::NODEV, options.as_c_str())
        .map_err(Error::errno(doing()))
}

pub const MOUNTED: &str = "something is mounted on it already";
pub const NOT_EMPTY: &str = "it is not empty, and what it holds would be hidden";

/// Whether a file system of phperf's is what is mounted there.
pub fn is_ours(path: &Path) -> Result<bool, Error> {
    Ok(mounted(path)?.is_some_and(|source| source == SOURCE.as_bytes()))
}

/// What is mounted on a folder.
pub fn mounted(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    const MOUNTS: &str = "/proc/self/mounts";
    let mounts = fs::read(MOUNTS).map_err(Error::io(format!("read {MOUNTS}")))?;
    Ok(find(&mounts, path.as_os_str().as_bytes()))
}

/// The source of the last mount on `path`, which is the one that is seen.
fn find(mounts: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    mounts.split(|&byte| byte == b'\n').rev().find_map(|line| {
        let mut fields = line.split(|&byte| byte == b' ');
        let source = fields.next()?;
        (unescaped(fields.next()?) == path).then(|| unescaped(source))
    })
}

/// Blanks, newlines and backslashes are written as three octal digits.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..3).filter(|_| byte == b'\\');
        let code = code.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        plain.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_folder_is_called_its_mount_is_found() {
        let mounts =
            b"phperf /a\\040b\\012c\\134 tmpfs rw 0 0\n/dev/x /\xff ext4 rw 0 0\nphperf /\xff tmpfs rw 0 0\n";
        assert_eq!(find(mounts, b"/a b\nc\\").unwrap(), b"phperf");
        // Of two, the later one is seen; and a name that is no text hides no other.
        assert_eq!(find(mounts, b"/\xff").unwrap(), b"phperf");
        assert_eq!(find(mounts, b"/"), None);
    }

    #[test]
    fn a_folder_that_changed_since_it_was_looked_at_takes_no_file_system() {
        let folder = tempfile::tempdir().unwrap();
        let (used, link) = (folder.path().join("used"), folder.path().join("link"));
        fs::create_dir(&used).unwrap();
        std::os::unix::fs::symlink(&used, &link).unwrap();
        let why = |path: &Path| mount(path, "size=1m").unwrap_err().to_string();
        assert!(why(&link).contains("symbolic links"), "{}", why(&link));
        fs::write(used.join("mine"), "").unwrap();
        assert!(why(&used).contains("not empty"), "{}", why(&used));
        assert!(why(Path::new("/proc")).contains("mounted on it already"));
    }
}
