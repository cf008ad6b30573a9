//! A PHP binary on disk.

use super::{Kernel, LargeFolios, Place};
use crate::{
    Error,
    layout::{Plan, Reach, Refusal},
};
use remote::{
    elf::Elf,
    huge::{self, Cached},
};
use std::{
    fs::{self, File, Metadata},
    ops::Range,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// A PHP binary, and what could become of its code.
#[derive(Debug)]
pub struct FileStatus {
    /// As it was named, or as a process names it.
    pub path: PathBuf,
    /// Its device and inode.
    pub id: (u64, u64),
    /// Whether that name now means nothing, or another file.
    pub deleted: bool,
    /// Whether that name means it only to a process in another mount namespace or root, such as a container's.
    pub is_elsewhere: bool,
    /// Where its code lies, before the load bias is added.
    pub code: Range<u64>,
    /// The segment that is mapped to be executed.
    pub executable: Range<u64>,
    /// What the segment with its code is aligned to.
    pub alignment: u64,
    /// How it would have to be laid out.
    pub plan: Result<Plan, Refusal>,
    /// What lies in the page cache; `None` where it could not be looked at. Of a file whose segments are not aligned,
    /// nothing can be mapped by huge pages, whatever the cache holds.
    pub cached: Option<Cached>,
    /// Where it lies.
    pub place: Place,
    /// Whether its page cache has huge pages.
    pub large_folios: LargeFolios,
}

impl FileStatus {
    /// Looks at a file.
    pub fn open(path: &Path, kernel: &Kernel) -> Result<Self, Error> {
        let file = open_file(path)?;
        Self::of(&file, path, false, kernel)
    }

    /// Looks at a file that is open.
    pub(super) fn of(file: &File, path: &Path, deleted: bool, kernel: &Kernel) -> Result<Self, Error> {
        let elf = parse_php(file, path)?;
        let segments = elf.segments();
        let text = segments.iter().find(|segment| segment.is_executable());
        let (Some(text), Some(code)) = (text, elf.code()) else {
            return Err(Error::NotPhp(path.into()));
        };
        let place = Place::of(file);
        let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
        let own = file
            .metadata()
            .map(id)
            .map_err(Error::io(format!("read {}", path.display())))?;
        let plan = Plan::new(segments, Reach::Segments);
        Ok(Self {
            path: path.into(),
            id: own,
            deleted,
            is_elsewhere: !deleted && fs::metadata(path).map(id).ok() != Some(own),
            code,
            executable: text.memory.clone(),
            alignment: text.alignment,
            cached: plan.as_ref().ok().and_then(|plan| cached(file, plan)),
            plan,
            large_folios: place.large_folios(kernel),
            place,
        })
    }

    /// Bytes of code.
    pub fn size(&self) -> u64 {
        self.code.end - self.code.start
    }

    /// Whether its segments are such that its code fits on huge pages.
    pub fn is_laid_out(&self) -> bool {
        self.plan.as_ref().is_ok_and(|plan| plan.is_as_before)
    }

    /// How much `opcache.huge_code_pages` would copy to huge pages, at least and at most: whole ones of the segment, which
    /// depends on where the loader puts it, unless that is aligned.
    pub fn by_opcache(&self) -> (u64, u64) {
        let length = self.executable.end - self.executable.start;
        let at = |start: u64| {
            let from = start.next_multiple_of(huge::SIZE);
            ((start + length) / huge::SIZE * huge::SIZE).saturating_sub(from)
        };
        if self.alignment >= huge::SIZE {
            let sure = at(self.executable.start % huge::SIZE);
            return (sure, sure);
        }
        let most = length / huge::SIZE * huge::SIZE;
        let least = if length.is_multiple_of(huge::SIZE) {
            0
        } else {
            huge::SIZE
        };
        (most.saturating_sub(least), most)
    }
}

/// For a name without a slash, which would be looked for in `PATH` when it is started, and is the file that was named.
pub fn by_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// Opens a file, and says which one it could not.
pub fn open_file(path: &Path) -> Result<File, Error> {
    let doing = || format!("read {}", path.display());
    let file = File::open(path).map_err(Error::io(doing()))?;
    let metadata = file.metadata().map_err(Error::io(doing()))?;
    if metadata.is_file() {
        Ok(file)
    } else {
        Err(Error::NotPhp(path.into()))
    }
}

/// The headers of a file that is a PHP.
pub fn parse_php<'a>(file: &'a File, path: &Path) -> Result<Elf<'a, File>, Error> {
    let elf = Elf::parse(file).map_err(|error| match error {
        remote::Error::Elf(what) => Error::Io {
            doing: format!("use {} as PHP", path.display()),
            why: std::io::Error::other(format!("it is no 64-bit ELF file, or a damaged one: {what}")),
        },
        other => Error::Remote(other),
    })?;
    let globals = elf.symbols(["executor_globals", "executor_globals_offset", "zend_startup"]);
    if globals.iter().all(Option::is_none) {
        return Err(Error::NotPhp(path.into()));
    }
    Ok(elf)
}

/// What of the pages that the text would lie on is cached.
fn cached(file: &File, plan: &Plan) -> Option<Cached> {
    let text = plan.loads.iter().find(|load| load.memory == plan.executable)?;
    let start = plan.huge.start.checked_sub(text.memory.start)? + text.file.start;
    let length = plan.huge.end - plan.huge.start;
    if !plan.shifts.is_empty() {
        return None;
    }
    huge::cached(file, start..start + length).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_php_is_named() {
        let kernel = Kernel::default();
        let error = |path: &str| {
            FileStatus::open(Path::new(path), &kernel)
                .unwrap_err()
                .to_string()
        };
        assert!(error("/bin/sh").contains("/bin/sh is not a PHP"));
        assert!(error("/etc/passwd").contains("no 64-bit ELF file"));
        assert!(error("/tmp").contains("not a PHP"));
        assert!(error("/nowhere").contains("cannot read /nowhere"));
    }

    #[test]
    fn a_real_php() {
        let php = php::Binary::cli().unwrap();
        let status = FileStatus::open(&php.path, &Kernel::read()).unwrap();
        assert!(status.size() > 1 << 20);
        let (least, most) = status.by_opcache();
        assert!(least <= most && most < status.size() + huge::SIZE);
        assert!(status.place.kind.is_some());
    }
}
