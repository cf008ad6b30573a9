//! Where `perf` looks: `/tmp` as the process sees it, under the number that the process has for itself.

use super::names::{Names, others};
use crate::Error;
use remote::Process;
use rustix::{
    fs::{AtFlags, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, renameat, unlinkat},
    process::geteuid,
};
use std::{
    fs::{self, File},
    io::{Read, Write},
    ops::Range,
    os::fd::OwnedFd,
    path::PathBuf,
};

/// Maps of a long-lived JIT have some MB.
const MAX_MAP: u64 = 64 << 20;

/// The root of a process, its own number, and whose it is.
pub struct Place {
    root: OwnedFd,
    pid: u32,
    user: u32,
}

impl Place {
    /// Of a process, which may have another root and other numbers.
    pub fn of(process: &Process) -> Result<Self, Error> {
        let pid = process.pid();
        let root = rustix::fs::open(
            format!("/proc/{pid}/root"),
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .map_err(Error::errno(format!("open the root of process {pid}")))?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        if !process.is_alive() {
            return Err(remote::Error::Gone(pid).into());
        }
        Ok(Self {
            root,
            pid: own_number(&status).unwrap_or(pid),
            user: user(&status).ok_or(remote::Error::Gone(pid))?,
        })
    }

    /// Opens a file in that root, to be read. Links lead nowhere out of it.
    pub fn open(&self, path: &str) -> rustix::io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        openat2(&self.root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT).map(File::from)
    }

    /// Writes the map, in place of what it says of `ranges`; the rest of a map that was there is kept.
    pub fn write(&self, names: &Names<'_>, ranges: &[Range<u64>]) -> Result<PathBuf, Error> {
        let name = format!("perf-{}.map", self.pid);
        let path = PathBuf::from("/tmp").join(&name);
        let doing = || format!("write {} as process {} sees it", path.display(), self.pid);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat2(&self.root, "tmp", flags, Mode::empty(), ResolveFlags::IN_ROOT)
            .map_err(Error::errno(doing()))?;
        let stat = fstat(&folder).map_err(Error::errno(doing()))?;
        if !may_write(&stat, self.user) {
            return Err(Error::ForeignFolder(self.pid));
        }
        let before = before(&folder, &name, &path)?;
        // Everybody may put links there: the file is a new one, and takes the place of whatever has the name.
        let draft = format!(".phperf-{}-{}", std::process::id(), self.pid);
        let create = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let file = openat(&folder, &draft, create, mode).map_err(Error::errno(doing()))?;
        let text = others(&before, ranges) + &names.text();
        let written = File::from(file)
            .write_all(text.as_bytes())
            .map_err(Error::io(doing()))
            .and_then(|()| renameat(&folder, &draft, &folder, &name).map_err(Error::errno(doing())));
        if let Err(error) = written {
            let _ = unlinkat(&folder, &draft, AtFlags::empty());
            return Err(error);
        }
        Ok(path)
    }
}

/// What is there: a file of one's own, of root, or nothing. `perf` ignores those of others, and this leaves them alone.
fn before(folder: &OwnedFd, name: &str, path: &std::path::Path) -> Result<String, Error> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(folder, name, flags, Mode::empty()) {
        Ok(file) => file,
        Err(rustix::io::Errno::NOENT) => return Ok(String::new()),
        Err(_) => return Err(Error::NotAMap(path.into())),
    };
    let stat = fstat(&file).map_err(Error::errno(format!("read {}", path.display())))?;
    // What has another name as well may be a secret that somebody linked there; this copies what it keeps.
    if stat.st_nlink > 1 {
        return Err(Error::NotAMap(path.into()));
    }
    let is_ours = stat.st_uid == geteuid().as_raw() || stat.st_uid == 0;
    if !is_ours || rustix::fs::FileType::from_raw_mode(stat.st_mode) != rustix::fs::FileType::RegularFile {
        return Err(Error::ForeignMap {
            path: path.into(),
            uid: stat.st_uid,
        });
    }
    let mut bytes = Vec::new();
    File::from(file)
        .take(MAX_MAP)
        .read_to_end(&mut bytes)
        .map_err(Error::io(format!("read {}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether the user could write there. One may have put any folder in the place of `/tmp` in a root of one's own, and root
/// is not to write for them where they may not.
fn may_write(folder: &Stat, user: u32) -> bool {
    user == 0 || folder.st_uid == user || folder.st_mode & Mode::WOTH.bits() != 0
}

/// The effective user: the second number on the line `Uid`.
fn user(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The number in the innermost namespace: the last one on the line `NSpid`.
fn own_number(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_ascii_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_number_counts() {
        assert_eq!(own_number("Name:\tphp\nNSpid:\t4242\t7\n"), Some(7));
        assert_eq!(own_number("Name:\tphp\n"), None);
        assert_eq!(user("Name:\tphp\nUid:\t1000\t33\t33\t33\n"), Some(33));
    }
}
