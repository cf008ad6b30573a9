//! How much of PHP's text lies on huge pages, by which way, and what would be possible.

mod advice;
mod attempt;
mod file;
mod kernel;
mod place;
mod process;

pub use advice::{Advice, quoted};
pub use attempt::Attempt;
pub use file::FileStatus;
pub(crate) use file::{by_path, open_file, parse_php};
pub use kernel::{Kernel, Pool, Release};
pub use place::{LargeFolios, Place};
pub use process::{Heap, OpcacheMemory, ProcessStatus, Scan, Way};

use crate::Error;
use std::path::Path;

/// What was found.
#[derive(Debug)]
pub struct Status {
    /// What the kernel can do.
    pub kernel: Kernel,
    /// Each PHP that runs, or was named.
    pub processes: Vec<ProcessStatus>,
    /// Their files, each once.
    pub files: Vec<FileStatus>,
    /// Processes that might be PHP and could not be looked at.
    pub unreadable: usize,
    /// What opcache did in a start of the file, where that was asked for.
    pub attempt: Option<Attempt>,
}

impl Status {
    /// Of every PHP that runs.
    pub fn of_all() -> Result<Self, Error> {
        let kernel = Kernel::read();
        let mut scan = Scan::default();
        let mut processes = Vec::new();
        let mut unreadable = 0;
        for listed in remote::processes()? {
            match scan.process(listed.pid) {
                Ok(status) => processes.push(status),
                Err(Error::Remote(remote::Error::NotPermitted { .. })) => {
                    // Others that are none of ours are not counted as lost.
                    unreadable += usize::from(listed.name.contains("php"));
                }
                Err(_) => {}
            }
        }
        Ok(Self {
            files: scan.into_files(&kernel),
            kernel,
            processes,
            unreadable,
            attempt: None,
        })
    }

    /// Of one process.
    pub fn of_process(pid: u32) -> Result<Self, Error> {
        let kernel = Kernel::read();
        let mut scan = Scan::default();
        let processes = vec![scan.process(pid)?];
        Ok(Self {
            files: scan.into_files(&kernel),
            kernel,
            processes,
            unreadable: 0,
            attempt: None,
        })
    }

    /// Of a file that may not run.
    pub fn of_file(path: &Path) -> Result<Self, Error> {
        let kernel = Kernel::read();
        Ok(Self {
            files: vec![FileStatus::open(path, &kernel)?],
            kernel,
            processes: Vec::new(),
            unreadable: 0,
            attempt: None,
        })
    }

    /// The same, and of one start of it with `opcache.huge_code_pages=1`.
    pub fn of_attempt(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            attempt: Some(Attempt::of(path)?),
            ..Self::of_file(path)?
        })
    }

    /// What helps.
    pub fn advice(&self) -> Advice {
        Advice::for_status(self)
    }
}
