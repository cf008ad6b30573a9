//! What can go wrong.

use crate::layout::Refusal;
use std::{io, path::PathBuf};

/// Why PHP's code could not be looked at or placed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A process or a file could not be read.
    #[error(transparent)]
    Remote(#[from] remote::Error),
    /// A PHP could not be started or asked.
    #[error(transparent)]
    Php(#[from] php::Error),
    /// A file that is no PHP.
    #[error("{} is not a PHP: name a php, php-fpm, php-cgi or libphp.so", .0.display())]
    NotPhp(PathBuf),
    /// A process that runs no PHP.
    #[error("process {0} runs no PHP: `phperf hugepages status` without a number lists those that do")]
    NoPhpIn(u32),
    /// Its segments are such that nothing can be done.
    #[error("{} cannot be moved onto huge pages: {why}; opcache.huge_code_pages=1 may still copy a part of it", path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// Why.
        why: Refusal,
    },
    /// Its segments are still aligned to small pages.
    #[error("the segments of {path} fit on no huge page: `phperf hugepages apply {path} -o COPY` makes a copy that does", path = .0.display())]
    NotLaidOut(PathBuf),
    /// A process whose code is still that of its file.
    #[error("no code of process {0} was copied to memory without a file: perf finds its names by itself")]
    NothingCopied(u32),
    /// A map of somebody else, which perf would ignore.
    #[error("{} belongs to uid {uid}, and perf would ignore it: remove it, then try again", path.display())]
    ForeignMap {
        /// Where.
        path: PathBuf,
        /// Whose.
        uid: u32,
    },
    /// The folder for maps is none that the process could write a map to.
    #[error(
        "/tmp as process {0} sees it is a folder that its user may not write to: no map is written there"
    )]
    ForeignFolder(u32),
    /// Something that is no file, or has other names too, has the name of a map.
    #[error("{} is a link, has other names, or cannot be opened: remove it, then try again", .0.display())]
    NotAMap(PathBuf),
    /// The copy is there already.
    #[error("{} is there already: name another file, or say --force to replace it", .0.display())]
    Exists(PathBuf),
    /// A file that was to be written and is noted to be removed again.
    #[error("{} is there already, and is left as it is: `phperf hugepages revert` removes what phperf wrote", .0.display())]
    InTheWay(PathBuf),
    /// A name that cannot be noted.
    #[error("{0:?} cannot be noted to be undone: take a name of plain UTF-8, without line ends")]
    OddName(PathBuf),
    /// Somebody changed something while a question was open.
    #[error("other changes were noted in {} meanwhile, and nothing was undone: try again", .0.display())]
    Meanwhile(PathBuf),
    /// Ctrl-C.
    #[error("interrupted: nothing was written")]
    Interrupted,
    /// The copy would take the place of what it is a copy of.
    #[error("{} is the binary itself, which is left as it is: name another file", .0.display())]
    Itself(PathBuf),
    /// The copy does not do what the original does.
    #[error("the copy is not like {}, and was removed: {what}", path.display())]
    Differs {
        /// The original.
        path: PathBuf,
        /// In what.
        what: String,
    },
    /// A file could not be read or written.
    #[error("cannot {doing}: {why}")]
    Io {
        /// What was tried.
        doing: String,
        /// Why it failed.
        why: io::Error,
    },
    /// Nowhere to put PHP's settings.
    #[error("{} reads no folder of settings: set opcache.huge_code_pages=1 in its php.ini by hand", .0.display())]
    NoSettings(PathBuf),
    /// Its opcache would take no huge pages.
    #[error("opcache's memory cannot lie on huge pages in {}: {why}", path.display())]
    OpcacheMemory {
        /// The PHP.
        path: PathBuf,
        /// Why, and what helps.
        why: String,
    },
    /// Something is mounted there, or it is no folder.
    #[error("{} cannot take a file system: {why}", path.display())]
    NoMountPoint {
        /// The folder.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// What is kept of changes does not read.
    #[error("{} is not a journal of phperf's: move it away; what it told of cannot be undone by phperf any more", .0.display())]
    Journal(PathBuf),
    /// There is nothing to undo.
    #[error("nothing to undo: no change is noted in {}", .0.display())]
    NothingToUndo(PathBuf),
    /// Something else changed it since.
    #[error("{what} is no longer as phperf left it ({now}, was {left}): undo it by hand and revert again, or take it out of {} to keep it", journal.display())]
    ChangedSince {
        /// What.
        what: String,
        /// What it is.
        now: String,
        /// What it was left as.
        left: String,
        /// Where it is noted.
        journal: PathBuf,
    },
}

impl Error {
    /// For `map_err`: names what was tried.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |why| Self::Io { doing, why }
    }

    /// The same for what `rustix` says.
    pub(crate) fn errno(doing: impl Into<String>) -> impl FnOnce(rustix::io::Errno) -> Self {
        let doing = doing.into();
        move |errno| Self::Io {
            doing,
            why: errno.into(),
        }
    }
}
