//! `phperf hugepages apply`: which way was asked for.

use super::{change, copy, gather};
use crate::{
    UsageError,
    args::hugepages::{Apply, Target},
};
use anyhow::{Result, bail};

/// Goes the way that was asked for.
pub fn run(asked: &Apply) -> Result<u8> {
    if let Some(pool) = &asked.fpm {
        return gather::workers(asked, pool.as_deref());
    }
    match &asked.target {
        Some(Target::File(binary)) => match (&asked.output, &asked.tmpfs) {
            (Some(to), _) => copy::run(asked, binary, to),
            (None, Some(folder)) => change::in_memory(asked, binary, folder),
            (None, None) if asked.opcache => change::opcache(asked, binary),
            (None, None) if asked.memory => change::memory(asked, binary),
            _ => bail!(UsageError(
                "say how: -o COPY writes a copy, --tmpfs FOLDER one in memory, --opcache sets opcache.huge_code_pages, --memory sets \
                 pages aside for opcache's memory"
                    .into()
            )),
        },
        Some(Target::Process(pid))
            if asked.output.is_none() && asked.tmpfs.is_none() && !asked.opcache && !asked.memory =>
        {
            gather::one(asked, *pid)
        }
        _ => bail!(UsageError(
            "a process is gathered where it is: name its binary to copy it, or leave -o, --tmpfs, --opcache and --memory away".into()
        )),
    }
}
