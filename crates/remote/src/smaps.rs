//! What the mappings of a process hold of memory, and how much of that lies on huge pages.

use crate::{
    Mapping,
    maps::{MAX_LINE, MAX_MAPPINGS},
};
use std::io::{self, BufRead};

/// A mapping, and its figures of `/proc/PID/smaps`, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The mapping.
    pub mapping: Mapping,
    /// What of it is in memory. Pages of hugetlb are not counted there.
    pub resident: u64,
    /// What of it is no longer a file's, but a copy of the process's own.
    pub anonymous: u64,
    /// Huge pages of anonymous memory.
    pub anonymous_huge: u64,
    /// Huge pages of shared memory, which tmpfs is, too.
    pub shared_huge: u64,
    /// Huge pages of the page cache of a file.
    pub file_huge: u64,
    /// Pages from the pool of hugetlb (`nr_hugepages`).
    pub hugetlb: u64,
}

impl Usage {
    /// All that lies on huge pages, of whatever kind.
    pub const fn huge(&self) -> u64 {
        self.anonymous_huge
            .saturating_add(self.shared_huge)
            .saturating_add(self.file_huge)
            .saturating_add(self.hugetlb)
    }

    const fn of(mapping: Mapping) -> Self {
        Self {
            mapping,
            resident: 0,
            anonymous: 0,
            anonymous_huge: 0,
            shared_huge: 0,
            file_huge: 0,
            hugetlb: 0,
        }
    }

    /// One line below that of the mapping; those that say something else are passed over.
    fn take(&mut self, line: &[u8]) -> Option<()> {
        let (name, rest) = std::str::from_utf8(line).ok()?.split_once(':')?;
        let kilobytes = || rest.trim().strip_suffix(" kB")?.trim_end().parse::<u64>().ok();
        let place = match name {
            "Rss" => &mut self.resident,
            "Anonymous" => &mut self.anonymous,
            "AnonHugePages" => &mut self.anonymous_huge,
            "ShmemPmdMapped" => &mut self.shared_huge,
            "FilePmdMapped" => &mut self.file_huge,
            "Shared_Hugetlb" | "Private_Hugetlb" => &mut self.hugetlb,
            _ => return None,
        };
        *place = place.saturating_add(kilobytes()?.saturating_mul(1024));
        Some(())
    }
}

/// Every mapping, with its figures.
pub fn parse(mut lines: impl BufRead) -> io::Result<Vec<Usage>> {
    let mut all: Vec<Usage> = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if io::Read::take(&mut lines, MAX_LINE as u64).read_until(b'\n', &mut line)? == 0 {
            return Ok(all);
        }
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        // Names of figures begin with a capital letter, addresses with a small one or a digit.
        if line.first().is_some_and(u8::is_ascii_uppercase) {
            let _ = all.last_mut().and_then(|last| last.take(line));
        } else if let Some(mapping) = Mapping::parse(line) {
            if all.len() == MAX_MAPPINGS {
                return Ok(all);
            }
            all.push(Usage::of(mapping));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn figures_belong_to_the_mapping_above_them() {
        let all = parse(
            &b"562c5f400000-562c5f800000 r-xp 00000000 fe:00 5727395   /opt/php\n\
               Size:               4096 kB\n\
               Rss:                4096 kB\n\
               AnonHugePages:         0 kB\n\
               FilePmdMapped:      4096 kB\n\
               THPeligible:           0\n\
               VmFlags: rd ex mr mw me sd\n\
               562c5f800000-562c5f8de000 rw-p 00000000 00:00 0 \n\
               Rss:                 448 kB\n\
               Anonymous:           448 kB\n\
               Private_Hugetlb:    2048 kB\n"[..],
        )
        .unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].resident, all[0].huge()), (4 << 20, 4 << 20));
        assert!(all[0].mapping.execute);
        assert_eq!((all[1].anonymous, all[1].hugetlb), (448 << 10, 2 << 20));
    }

    #[test]
    fn its_own_are_those_of_maps() {
        let process = crate::Process::open(std::process::id()).unwrap();
        let usage = process.usage().unwrap();
        let text = usage.iter().find(|usage| usage.mapping.execute).unwrap();
        assert!(text.resident > 0);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            let _ = parse(&bytes[..]);
        }

        #[test]
        fn any_figures(lines in "(Rss|AnonHugePages|Rs)[: ]{0,3}[0-9]{0,30}( kB)?\n") {
            let text = format!("1000-2000 r-xp 00000000 00:00 0\n{lines}{lines}");
            let _ = parse(text.as_bytes()).unwrap();
        }
    }
}
