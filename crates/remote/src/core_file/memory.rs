//! Reading what a core holds, and from the files that were mapped what it does not.

use super::{CoreFile, notes::containing};
use crate::{
    Memory,
    elf::{ReadAt, Segment},
};

impl<R: ReadAt> CoreFile<R> {
    /// Fills all of `buffer` from the core alone.
    pub(super) fn read_held(&self, address: u64, buffer: &mut [u8]) -> bool {
        self.held(address).is_some_and(|(offset, rest)| {
            buffer.len() as u64 <= rest && self.source.read_at(offset, buffer).is_ok()
        })
    }

    /// Where in the core `address` lies, and how much of it is there from then on.
    fn held(&self, address: u64) -> Option<(u64, u64)> {
        let segment = containing(&self.segments, address)?;
        let into = address - segment.memory.start;
        let offset = segment.file.start.checked_add(into)?;
        let rest = segment.file.end.checked_sub(offset)?;
        (rest > 0).then_some((offset, rest))
    }

    /// Fills the start of `buffer` from one place, and says how much that was: 0 at the end of what there is.
    fn read_piece(&self, address: u64, buffer: &mut [u8]) -> usize {
        if let Some((offset, rest)) = self.held(address) {
            return read_up_to(&self.source, offset, rest, buffer);
        }
        // What the process could write may not be any more what the file has.
        if containing(&self.segments, address).is_some_and(Segment::is_writable) {
            return 0;
        }
        let after = self.maps.partition_point(|mapping| mapping.start <= address);
        let Some(mapping) = self.maps[..after]
            .last()
            .filter(|mapping| mapping.contains(address) && mapping.is_file())
        else {
            return 0;
        };
        let Some(file) = self.files.behind(self, mapping) else {
            return 0;
        };
        let Some(offset) = mapping.offset.checked_add(address - mapping.start) else {
            return 0;
        };
        read_up_to(&*file, offset, mapping.end - address, buffer)
    }
}

/// Reads as much of `buffer` as there is, `rest` at most.
fn read_up_to(source: &impl ReadAt, offset: u64, rest: u64, buffer: &mut [u8]) -> usize {
    let mut length = buffer.len().min(usize::try_from(rest).unwrap_or(usize::MAX));
    // A source says only whether all of it could be read; one that is cut off has its start.
    while length > 0 && source.read_at(offset, &mut buffer[..length]).is_err() {
        length /= 2;
    }
    length
}

impl<R: ReadAt> Memory for CoreFile<R> {
    fn read_prefix(&self, address: u64, buffer: &mut [u8]) -> usize {
        let mut done = 0;
        while done < buffer.len() {
            let Some(at) = address.checked_add(done as u64) else {
                break;
            };
            match self.read_piece(at, &mut buffer[done..]) {
                0 => break,
                read => done += read,
            }
        }
        done
    }
}
