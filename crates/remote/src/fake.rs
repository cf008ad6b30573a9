//! Memory made of plain bytes.

use crate::Memory;
use std::collections::BTreeMap;

/// Memory made of plain bytes, for tests and fuzzing.
#[derive(Clone, Debug, Default)]
pub struct FakeMemory {
    segments: BTreeMap<u64, Vec<u8>>,
}

impl FakeMemory {
    /// Memory in which nothing can be read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts `bytes` at `address`: into the segment that is there if they fit, else as a new segment.
    #[must_use]
    pub fn with(mut self, address: u64, bytes: impl AsRef<[u8]>) -> Self {
        self.write(address, bytes.as_ref());
        self
    }

    /// Puts `bytes` at `address`: into the segment that is there if they fit, else as a new segment.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        if let Some((start, segment)) = self.segments.range_mut(..=address).next_back() {
            let from = (address - start) as usize;
            if let Some(place) = segment.get_mut(from..from.saturating_add(bytes.len())) {
                place.copy_from_slice(bytes);
                return;
            }
        }
        self.segments.insert(address, bytes.to_vec());
    }

    /// Puts eight bytes at `address`, in the machine's order.
    pub fn write_u64(&mut self, address: u64, value: u64) {
        self.write(address, &value.to_ne_bytes());
    }

    /// Puts four bytes at `address`, in the machine's order.
    pub fn write_u32(&mut self, address: u64, value: u32) {
        self.write(address, &value.to_ne_bytes());
    }
}

impl Memory for FakeMemory {
    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        let mut done = 0;
        while done < buffer.len() {
            let Some(at) = address.checked_add(done as u64) else {
                break;
            };
            let Some((start, segment)) = self.segments.range(..=at).next_back() else {
                break;
            };
            let Some(rest) = usize::try_from(at - start)
                .ok()
                .and_then(|from| segment.get(from..))
            else {
                break;
            };
            if rest.is_empty() {
                break;
            }
            let length = rest.len().min(buffer.len() - done);
            buffer[done..done + length].copy_from_slice(&rest[..length]);
            done += length;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadError;

    #[test]
    fn segments_that_touch_read_as_one() {
        let memory = FakeMemory::new().with(100, [1, 2, 3]).with(103, [4, 5]);
        let mut buffer = [0; 4];
        memory.read(101, &mut buffer).unwrap();
        assert_eq!(buffer, [2, 3, 4, 5]);
        assert_eq!(memory.read(102, &mut buffer), Err(ReadError::Unmapped(105)));
        assert_eq!(memory.read_prefix(102, &mut buffer), 3);
    }

    #[test]
    fn writing_changes_what_is_there() {
        let mut memory = FakeMemory::new().with(8, [0; 16]);
        memory.write_u64(16, 7);
        assert_eq!(memory.read_u64(16), Ok(7));
        assert_eq!(memory.read_u64(8), Ok(0));
    }

    #[test]
    fn the_end_of_the_address_space_is_an_end() {
        let memory = FakeMemory::new().with(u64::MAX - 1, [1, 2]);
        assert_eq!(memory.read_prefix(u64::MAX, &mut [0; 8]), 1);
    }
}
