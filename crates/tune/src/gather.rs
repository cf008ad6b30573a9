//! The text of processes that run, gathered into huge pages by the kernel (`MADV_COLLAPSE`).

use crate::{
    Error,
    layout::overlap,
    status::{Kernel, ProcessStatus, Scan},
};
use remote::{Process, huge};
use std::ops::Range;

/// A process whose text may be gathered.
#[derive(Debug)]
pub struct Candidate {
    process: Process,
    /// As it is.
    pub before: ProcessStatus,
    /// What the kernel is asked to gather.
    pub ranges: Vec<Range<u64>>,
    /// Why there is none.
    pub why_not: Option<String>,
}

impl Candidate {
    /// Looks at a process, and changes nothing.
    pub fn new(pid: u32) -> Result<Self, Error> {
        let process = Process::open(pid)?;
        let before = Scan::default().process(pid)?;
        let mut ranges = Vec::new();
        let mut is_apart = false;
        for mapping in process.maps()?.iter().filter(|mapping| mapping.execute) {
            if overlap(&(mapping.start..mapping.end), &before.code) == 0 {
                continue;
            }
            // A page of the file's cache is mapped as a huge one only where both begin on such a page.
            if mapping.is_file() && mapping.start % huge::SIZE != mapping.offset % huge::SIZE {
                is_apart = true;
                continue;
            }
            let start = mapping.start.max(before.code.start / huge::SIZE * huge::SIZE);
            let end = mapping.end.min(before.code.end.next_multiple_of(huge::SIZE));
            let range = start.next_multiple_of(huge::SIZE)..end / huge::SIZE * huge::SIZE;
            if range.start < range.end {
                ranges.push(range);
            }
        }
        let why_not = if before.huge >= before.text {
            Some("all of its code lies on huge pages".to_owned())
        } else if !ranges.is_empty() {
            None
        } else if is_apart {
            Some(
                "its segments are not aligned to 2 MB: start a copy that `apply BINARY -o COPY` makes"
                    .to_owned(),
            )
        } else {
            Some("no huge page lies wholly in its code".to_owned())
        };
        if why_not.is_some() {
            ranges.clear();
        }
        Ok(Self {
            process,
            before,
            ranges,
            why_not,
        })
    }

    /// Asks the kernel; the process as it is afterwards.
    pub fn gather(&self) -> Result<ProcessStatus, Error> {
        for range in &self.ranges {
            huge::collapse(&self.process, range).map_err(explain)?;
        }
        Scan::default().process(self.process.pid())
    }
}

/// What was refused, and what helps.
fn explain(error: remote::Error) -> Error {
    let remote::Error::Refused { what, why } = error else {
        return error.into();
    };
    let hint = match why.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::INVAL) => {
            if Kernel::read().read_only_files == Some(false) {
                "this kernel (without CONFIG_READ_ONLY_THP_FOR_FS) does it for files on tmpfs alone: start a copy \
                 that `apply BINARY -o COPY` makes"
            } else {
                "the kernel does not do it for this file: start a copy that `apply BINARY -o COPY` makes"
            }
        }
        Some(rustix::io::Errno::PERM) => "run as root",
        Some(rustix::io::Errno::NOSYS) => "it needs Linux 6.1",
        Some(rustix::io::Errno::AGAIN | rustix::io::Errno::NOMEM | rustix::io::Errno::BUSY) => {
            "memory is too fragmented or too busy: try again"
        }
        _ => "see process_madvise(2)",
    };
    Error::Io {
        doing: what,
        why: std::io::Error::other(format!("{why}; {hint}")),
    }
}
