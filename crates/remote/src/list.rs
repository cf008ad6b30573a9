//! All processes of the machine.

use crate::{
    Error,
    procfs::{self, Stat},
};
use std::fs;

/// A process as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub pid: u32,
    /// The process that started it, or took it over.
    pub parent: u32,
    /// The name of its command: up to 15 bytes.
    pub name: String,
    /// Its arguments, the command first; none in kernel threads.
    pub command_line: Vec<String>,
}

/// The ids of all processes, in their order: much cheaper than to look at each.
pub fn process_ids() -> Result<Vec<u32>, Error> {
    let mut pids: Vec<u32> = fs::read_dir("/proc")
        .map_err(|why| Error::Io {
            what: "/proc".into(),
            why,
        })?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    pids.sort_unstable();
    Ok(pids)
}

/// Every process that runs, in the order of ids; those that end meanwhile are left out.
pub fn processes() -> Result<impl Iterator<Item = Listed>, Error> {
    Ok(process_ids()?.into_iter().filter_map(Listed::look))
}

impl Listed {
    /// Looks at a process; `None` if it has ended.
    pub fn look(pid: u32) -> Option<Self> {
        let stat = Stat::read(pid).ok()??;
        if stat.has_ended() {
            return None;
        }
        Some(Self {
            pid,
            parent: stat.parent,
            name: stat.name,
            command_line: procfs::command_line(pid).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_itself() {
        let own = processes()
            .unwrap()
            .find(|process| process.pid == std::process::id())
            .unwrap();
        assert_eq!(own.command_line, std::env::args().collect::<Vec<_>>());
        assert_eq!(own.parent, std::os::unix::process::parent_id());
    }
}
