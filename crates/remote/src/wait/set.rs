//! Sets of descriptors, the first of which to be ready ends the wait.

use crate::{Memory, Process, procfs};

/// More than any PHP waits for at once; what is beyond is not looked at.
const MOST: usize = 1024;
/// `struct pollfd`.
const POLLED: usize = 8;

/// A set of descriptors, as a system call takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// An array of `struct pollfd`.
    Poll {
        /// Where it lies.
        address: u64,
        /// How many there are.
        count: u64,
    },
    /// Up to three arrays of bits.
    Select {
        /// How many bits each has.
        count: u64,
        /// Where they lie; 0 for none.
        sets: [u64; 3],
    },
    /// A descriptor that stands for others.
    Epoll(i32),
}

impl Set {
    /// The descriptors, each once; as many as could be read.
    pub fn descriptors(self, thread: &Process) -> Vec<i32> {
        let mut found = match self {
            Self::Poll { address, count } => polled(&thread.memory(), address, count),
            Self::Select { count, sets } => selected(&thread.memory(), count, sets),
            Self::Epoll(descriptor) => {
                let file = format!("fdinfo/{descriptor}");
                let text = procfs::read(thread.pid(), &file, 64 << 10).unwrap_or_default();
                watched(&String::from_utf8_lossy(&text))
            }
        };
        found.retain(|&descriptor| descriptor >= 0);
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn polled(memory: &impl Memory, address: u64, count: u64) -> Vec<i32> {
    let mut bytes = vec![0; (count as usize).min(MOST) * POLLED];
    let read = memory.read_prefix(address, &mut bytes);
    bytes[..read]
        .chunks_exact(POLLED)
        .filter_map(|polled| Some(i32::from_ne_bytes(*polled.first_chunk()?)))
        .collect()
}

fn selected(memory: &impl Memory, count: u64, sets: [u64; 3]) -> Vec<i32> {
    let count = count.min(MOST as u64) as u16;
    let mut found = Vec::new();
    for address in sets.into_iter().filter(|&address| address != 0) {
        let mut bytes = vec![0; usize::from(count).div_ceil(8)];
        let read = memory.read_prefix(address, &mut bytes);
        let is_set = |bit: &u16| {
            let byte = bytes[..read].get(usize::from(bit / 8));
            byte.is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
        };
        found.extend((0..count).filter(is_set).map(i32::from));
    }
    found
}

/// The lines `tfd: …` of an epoll descriptor.
fn watched(text: &str) -> Vec<i32> {
    text.lines()
        .filter_map(|line| {
            line.strip_prefix("tfd:")?
                .split_ascii_whitespace()
                .next()?
                .parse()
                .ok()
        })
        .take(MOST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FakeMemory;

    #[test]
    fn arrays_are_read_as_far_as_they_are_there() {
        let entries = [3_i32, 5, -1].map(|descriptor| [descriptor.to_ne_bytes(), [1, 0, 0, 0]].concat());
        let memory = FakeMemory::new().with(64, entries.concat());
        assert_eq!(polled(&memory, 64, 3), [3, 5, -1]);
        assert_eq!(polled(&memory, 64, u64::MAX), [3, 5, -1]);
        assert_eq!(polled(&memory, 8, 3), []);
    }

    #[test]
    fn bits_are_descriptors() {
        let memory = FakeMemory::new().with(64, [0b0010_0001, 0b1000_0000]);
        assert_eq!(selected(&memory, 16, [64, 0, 0]), [0, 5, 15]);
        assert_eq!(selected(&memory, 15, [0, 64, 0]), [0, 5]);
        assert_eq!(selected(&memory, u64::MAX, [64, 0, 9]), [0, 5, 15]);
    }

    #[test]
    fn an_epoll_descriptor_lists_its_own() {
        let text =
            "pos:\t0\ntfd:        8 events:       19 data:  8 pos:0\ntfd: x\ntfd:       12 events: 1\n";
        assert_eq!(watched(text), [8, 12]);
    }
}
